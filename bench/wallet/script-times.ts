/** How long Redis itself says that its scripts have run. */
import type { RedisClient } from '../../shared/redis/connect.ts';

export async function scriptTimes(redis: RedisClient): Promise<{ calls: number; microseconds: number }> {
  const line = /^cmdstat_evalsha:calls=(\d+),usec=(\d+)/m.exec(await redis.info('commandstats'));
  return { calls: Number(line?.[1] ?? 0), microseconds: Number(line?.[2] ?? 0) };
}
