/**
 * Which Redis this is, and how full. The identity changes whenever a server starts anew or another one takes over:
 * then writes may be lost that had been confirmed, and everybody who keeps a second copy sends it again.
 */
import { Cluster } from 'ioredis';
import type { RedisClient } from './connect.ts';

export interface ServerState {
  /** The run ids of all masters. */
  readonly identity: string;
  /** Memory in use, as a part of `maxmemory`, of the fullest master; 0 where there is no limit. */
  readonly memoryShare: number;
  /** Since the youngest master has started. */
  readonly uptimeMs: number;
}

/** Rejects while a master does not answer. */
export async function readServerState(redis: RedisClient): Promise<ServerState> {
  const nodes = redis instanceof Cluster ? redis.nodes('master') : [redis];
  const states = await Promise.all(
    nodes.map(async (node) => {
      const info = await node.info();
      const used = numberOf(info, 'used_memory');
      const limit = numberOf(info, 'maxmemory');
      return {
        runId: /^run_id:(\w+)/m.exec(info)?.[1] ?? '',
        memoryShare: limit === 0 ? 0 : used / limit,
        uptimeMs: numberOf(info, 'uptime_in_seconds') * 1_000,
      };
    }),
  );
  return {
    identity: states
      .map(({ runId }) => runId)
      .sort()
      .join(','),
    memoryShare: Math.max(...states.map(({ memoryShare }) => memoryShare)),
    uptimeMs: Math.min(...states.map(({ uptimeMs }) => uptimeMs)),
  };
}

function numberOf(info: string, field: string): number {
  return Number(new RegExp(`^${field}:(\\d+)`, 'm').exec(info)?.[1] ?? 0);
}
