/** Three masters with a third of the slots each, and a replica for each; set up with CLUSTER commands alone. */
import { join } from 'node:path';
import { Command } from 'ioredis';
import { freePort } from '../../../local/servers/ports.ts';
import { waitFor } from '../account-view.ts';
import { startFaultProxy } from './fault-proxy.ts';
import { RedisNode } from './node.ts';
import type { RedisTopology, TopologyOptions } from './topology.ts';

const masterCount = 3;
const slotCount = 16_384;
const settleTimeoutMs = 120_000;

export async function startRedisCluster({ directory, faulty = false }: TopologyOptions): Promise<RedisTopology> {
  const nodes = await Promise.all(
    Array.from({ length: faulty ? masterCount : 2 * masterCount }, (_, index) =>
      startNode(join(directory, `node-${index}`)),
    ),
  );
  const faults = faulty ? await Promise.all(nodes.map(({ port }) => startFaultProxy(port))) : [];
  // Where nodes are announced to clients; the nodes themselves use the cluster bus port.
  await Promise.all(
    faults.map((fault, index) => nodes[index]?.connection.config('SET', 'cluster-announce-port', fault.port)),
  );
  await joinNodes(nodes);

  const present = async (key: string) => {
    const slot = slotOf(key);
    for (const node of nodes) {
      const owned = await ownedSlots(node).catch(() => []);
      if (owned.some(([first, last]) => first <= slot && slot <= last)) return node;
    }
    throw new Error(`no master for slot ${slot}`);
  };
  return {
    kind: 'cluster',
    url: (faulty ? faults : nodes.slice(0, masterCount)).map(({ port }) => `redis://127.0.0.1:${port}`).join(','),
    faults,
    masterOf: async (key) => (await present(key)).connection,
    replicated: async () => {
      const roles = await Promise.all(nodes.map((node) => node.role().catch(() => 'dead')));
      const masters = nodes.filter((_, index) => roles[index] === 'master');
      await Promise.all(masters.map((node) => node.replicated(faulty ? 0 : 1)));
    },
    killMaster: async (key) => (await present(key)).kill(),
    failover: async (key) => {
      const before = await present(key);
      const replica = await replicaOf(nodes, before);
      await replica.connection.cluster('FAILOVER');
      await waitFor('the replica to take over', settleTimeoutMs, async () => {
        const now = await present(key).catch(() => undefined);
        return now === replica && (await before.role()) === 'slave';
      });
    },
    restart: () => Promise.reject(new Error('only a lone server is restarted')),
    stop: async () => {
      await Promise.all([...nodes.map((node) => node.stop()), ...faults.map((fault) => fault.stop())]);
    },
  };
}

async function startNode(directory: string): Promise<RedisNode> {
  return RedisNode.start({
    directory,
    settings: [
      ...['--cluster-enabled', 'yes', '--cluster-node-timeout', '1000', '--cluster-replica-validity-factor', '0'],
      ...['--cluster-port', String(await freePort()), '--repl-diskless-sync-delay', '0'],
      // A cluster lists a replica once its master has sent it something.
      ...['--repl-ping-replica-period', '1'],
    ],
  });
}

async function joinNodes(nodes: readonly RedisNode[]): Promise<void> {
  const [first] = nodes;
  if (first === undefined) return;
  const busPort = await busPortOf(first);
  await Promise.all(
    nodes.map(async (node, index) => {
      await node.connection.cluster('SET-CONFIG-EPOCH', index + 1);
      if (node !== first) await node.connection.call('CLUSTER', 'MEET', '127.0.0.1', first.port, busPort);
      if (index >= masterCount) return;
      const from = Math.floor((index * slotCount) / masterCount);
      const to = Math.floor(((index + 1) * slotCount) / masterCount) - 1;
      await node.connection.call('CLUSTER', 'ADDSLOTSRANGE', from, to);
    }),
  );
  await waitFor('the nodes to know each other', settleTimeoutMs, async () => {
    const infos = await Promise.all(nodes.map((node) => node.connection.cluster('INFO')));
    return infos.every((info) => String(info).includes(`cluster_known_nodes:${nodes.length}\r`));
  });
  for (const [index, replica] of nodes.slice(masterCount).entries()) {
    const master = nodes[index];
    const masterId = await master?.connection.cluster('MYID');
    await waitFor('the replica to be accepted', settleTimeoutMs, () =>
      replica.connection.call('CLUSTER', 'REPLICATE', String(masterId)).then(
        () => true,
        () => false,
      ),
    );
  }
  await waitFor('a whole cluster', settleTimeoutMs, async () => {
    const ready = await Promise.all(nodes.map((node) => isSettled(node, nodes.length / masterCount - 1)));
    return ready.every(Boolean);
  });
}

async function busPortOf(node: RedisNode): Promise<number> {
  const response = await node.connection.config('GET', 'cluster-port');
  return Number(Array.isArray(response) ? response[1] : Number.NaN);
}

async function isSettled(node: RedisNode, replicasEach: number): Promise<boolean> {
  const [cluster, replication] = await Promise.all([
    node.connection.cluster('INFO'),
    node.connection.info('replication'),
  ]);
  const isLinked = String(cluster).includes('cluster_state:ok') && !replication.includes('master_link_status:down');
  const ranges = await node.connection.cluster('SLOTS');
  // Two timeouts and a master, and then the replicas.
  return isLinked && ranges.every((range) => range.length === 3 + replicasEach);
}

/** The slot ranges that the node itself claims. */
async function ownedSlots(node: RedisNode): Promise<[number, number][]> {
  const [own = ''] = String(await node.connection.cluster('NODES'))
    .split('\n')
    .filter((line) => line.includes('myself'));
  if (!own.includes('master')) return [];
  return [...own.matchAll(/ (\d+)(?:-(\d+))?(?= |$)/g)]
    .slice(3)
    .map(([, first, last]) => [Number(first), Number(last ?? first)]);
}

async function replicaOf(nodes: readonly RedisNode[], master: RedisNode): Promise<RedisNode> {
  for (const node of nodes) {
    const info = await node.connection.info('replication');
    if (info.includes('role:slave') && info.includes(`master_port:${master.port}\r`)) return node;
  }
  throw new Error('the master has no replica');
}

function slotOf(key: string): number {
  return new Command('get', [key]).getSlot();
}
