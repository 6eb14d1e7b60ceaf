/**
 * The identity of the servers, and how full they are. A server's run id changes whenever it restarts, and a new master
 * has its own: then confirmed writes may be lost, and every holder of a second copy resends it.
 */
import type { Redis } from 'ioredis';
import type { RedisClient } from './connect.ts';
import { StrictCluster } from './strict-cluster.ts';

export interface ServerState {
  readonly runId: string;
  /** Memory in use, as a fraction of `maxmemory`; 0 if there is no limit. */
  readonly memoryShare: number;
}

/** For each connected master. One that does not respond is left out, so that it does not hold up the others. */
export async function readServerStates(redis: RedisClient): Promise<ReadonlyMap<Redis, ServerState>> {
  const nodes = redis instanceof StrictCluster ? redis.nodes('master') : [redis];
  const connected = nodes.filter(({ status }) => status === 'ready');
  const states = await Promise.all(
    connected.map(async (node) => {
      const info = await node.info('server', 'memory').catch(() => undefined);
      return [node, info === undefined ? undefined : readState(info)] as const;
    }),
  );
  return new Map(states.flatMap(([node, state]) => (state === undefined ? [] : [[node, state] as const])));
}

function readState(info: string): ServerState {
  const limit = numberOf(info, 'maxmemory');
  return {
    runId: /^run_id:(\w+)/m.exec(info)?.[1] ?? '',
    memoryShare: limit === 0 ? 0 : numberOf(info, 'used_memory') / limit,
  };
}

function numberOf(info: string, field: string): number {
  return Number(new RegExp(`^${field}:(\\d+)`, 'm').exec(info)?.[1] ?? 0);
}
