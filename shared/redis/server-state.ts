/**
 * Which servers these are, and how full. A server's run id changes whenever it starts anew, and another one takes over
 * with its own: then writes may be lost that had been confirmed, and everybody who keeps a second copy sends it again.
 */
import type { Redis } from 'ioredis';
import type { RedisClient } from './connect.ts';
import { StrictCluster } from './strict-cluster.ts';

export interface ServerState {
  readonly runId: string;
  /** Memory in use, as a part of `maxmemory`; 0 where there is no limit. */
  readonly memoryShare: number;
}

/** Of each connected master. One that does not answer is left out, so that it does not stand for the others. */
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
