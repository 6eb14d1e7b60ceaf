/** One Redis with an append-only file; after a kill it is restarted a second later, as by a supervisor. */
import { startFaultProxy } from './fault-proxy.ts';
import { RedisNode } from './node.ts';
import type { RedisTopology, TopologyOptions } from './topology.ts';

const awayMs = 1_000;

export async function startRedisStandalone({ directory, faulty = false }: TopologyOptions): Promise<RedisTopology> {
  const node = await RedisNode.start({ directory, appendOnly: true });
  const faults = faulty ? [await startFaultProxy(node.port)] : [];
  let returning = Promise.resolve();

  const restart = async (whileAway: () => Promise<void>) => {
    await node.stop();
    await whileAway();
    await node.startAgain();
  };
  return {
    kind: 'standalone',
    url: `redis://127.0.0.1:${faults[0]?.port ?? node.port}`,
    faults,
    masterOf: async () => node.connection,
    replicated: async () => {},
    killMaster: async () => {
      await node.kill();
      returning = Bun.sleep(awayMs).then(() => node.startAgain());
    },
    failover: () => restart(async () => {}),
    restart,
    stop: async () => {
      await returning;
      await Promise.all(faults.map((fault) => fault.stop()));
      await node.stop();
    },
  };
}
