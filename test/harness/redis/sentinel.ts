/** A master, a replica, and three Sentinels of which two must agree that the master is gone. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { startChild } from '../../../local/processes/child.ts';
import { freePort } from '../../../local/servers/ports.ts';
import { waitFor } from '../account-view.ts';
import { startFaultProxy } from './fault-proxy.ts';
import { RedisNode } from './node.ts';
import type { RedisTopology, TopologyOptions } from './topology.ts';

const masterName = 'mymaster';
const sentinelCount = 3;
const quorum = 2;
const settleTimeoutMs = 120_000;
const stopOptions = { signal: 'SIGTERM', graceMs: 5_000 } as const;

export async function startRedisSentinel({ directory, faulty = false }: TopologyOptions): Promise<RedisTopology> {
  const settings = ['--repl-diskless-sync-delay', '0'];
  const master = await RedisNode.start({ directory: join(directory, 'master'), settings });
  const nodes = [master];
  if (!faulty) {
    const replica = await RedisNode.start({ directory: join(directory, 'replica'), settings });
    await replica.connection.replicaof('127.0.0.1', master.port);
    nodes.push(replica);
  }
  const faults = faulty ? [await startFaultProxy(master.port)] : [];
  const sentinels = await Promise.all(
    Array.from({ length: sentinelCount }, () => startSentinel(directory, faults[0]?.port ?? master.port)),
  );
  await waitFor('the Sentinels to know each other and the replica', settleTimeoutMs, async () => {
    const states = await Promise.all(sentinels.map((sentinel) => sentinel.state()));
    return states.every(
      (state) =>
        state['num-other-sentinels'] === String(sentinelCount - 1) && state['num-slaves'] === String(nodes.length - 1),
    );
  });

  const present = async () => {
    const [sentinel] = sentinels;
    const port = Number((await sentinel?.state())?.port);
    const node = faulty ? master : nodes.find((candidate) => candidate.port === port);
    if (node === undefined) throw new Error(`the Sentinels name a master at an unknown port ${port}`);
    return node;
  };
  return {
    kind: 'sentinel',
    url: `redis+sentinel://${sentinels.map(({ port }) => `127.0.0.1:${port}`).join(',')}/${masterName}`,
    faults,
    masterOf: async () => (await present()).connection,
    replicated: async () => (await present()).replicated(nodes.length - 1),
    killMaster: async () => (await present()).kill(),
    failover: async () => {
      const before = await present();
      await sentinels[0]?.connection.call('SENTINEL', 'FAILOVER', masterName);
      await waitFor('another master', settleTimeoutMs, async () => {
        const now = await present();
        return now !== before && (await now.role()) === 'master';
      });
    },
    restart: () => Promise.reject(new Error('only a lone server is restarted')),
    stop: async () => {
      await Promise.all(sentinels.map((sentinel) => sentinel.stop()));
      await Promise.all([...nodes.map((node) => node.stop()), ...faults.map((fault) => fault.stop())]);
    },
  };
}

interface Sentinel {
  readonly port: number;
  readonly connection: Redis;
  /** What it knows about the master. */
  state(): Promise<Readonly<Record<string, string>>>;
  stop(): Promise<void>;
}

async function startSentinel(directory: string, masterPort: number): Promise<Sentinel> {
  const port = await freePort();
  const home = join(directory, `sentinel-${port}`);
  await mkdir(home, { recursive: true });
  const configuration = join(home, 'sentinel.conf');
  const lines = [
    'bind 127.0.0.1',
    `port ${port}`,
    `dir "${home}"`,
    `sentinel monitor ${masterName} 127.0.0.1 ${masterPort} ${quorum}`,
    // A second failover starts no sooner than twice the timeout of the first.
    `sentinel down-after-milliseconds ${masterName} 1000`,
    `sentinel failover-timeout ${masterName} 1500`,
  ];
  await writeFile(configuration, `${lines.join('\n')}\n`);
  const child = startChild({
    name: 'sentinel',
    command: ['redis-server', configuration, '--sentinel'],
    directory: home,
    environment: { PATH: process.env.PATH ?? '' },
    logFile: join(home, 'sentinel.log'),
  });
  const connection = new Redis({ port, host: '127.0.0.1', retryStrategy: () => 20, maxRetriesPerRequest: null });
  connection.on('error', () => {});
  // By default a Sentinel checks only every ten seconds, and demotes an old master just as late.
  await connection.call('SENTINEL', 'DEBUG', 'INFO-PERIOD', '500');
  return {
    port,
    connection,
    state: async () => {
      const flat = await connection.call('SENTINEL', 'MASTER', masterName);
      const texts = Array.isArray(flat) ? flat.map(String) : [];
      return Object.fromEntries(
        texts.flatMap((name, index) => (index % 2 === 0 ? [[name, texts[index + 1] ?? '']] : [])),
      );
    },
    stop: async () => {
      connection.disconnect();
      await child.stop(stopOptions);
    },
  };
}
