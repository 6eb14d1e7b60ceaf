/** The microseconds that scripts have run, as reported by Redis. */
import type { RedisClient } from '../../shared/redis/connect.ts';

export async function scriptTimes(redis: RedisClient): Promise<number> {
  const line = /^cmdstat_evalsha:calls=\d+,usec=(\d+)/m.exec(await redis.info('commandstats'));
  return Number(line?.[1] ?? 0);
}
