/** Lends a command Redis if it can be reached soon. A command never fails because Redis is away. */
import { loadCommandConfig } from '../../shared/config/admin.ts';
import { connectRedis, type RedisClient, whenReady } from '../../shared/redis/connect.ts';

const connectTimeoutMs = 2_000;

/** False if Redis is missing or failed: admin delivers later what was committed to Postgres. */
export async function withRedis(work: (redis: RedisClient) => Promise<unknown>): Promise<boolean> {
  const { redisAddress } = loadCommandConfig(['redisAddress']);
  if (redisAddress === undefined) return false;
  const redis = connectRedis(redisAddress, () => {});
  try {
    await whenReady(redis, connectTimeoutMs);
    await work(redis);
    return true;
  } catch {
    return false;
  } finally {
    redis.disconnect();
  }
}
