/** Lends a command the Redis that it requires. Throws if Redis cannot be reached. */
import { loadCommandConfig } from '../../shared/config/admin.ts';
import { ConfigurationError } from '../../shared/config/environment.ts';
import { connectRedis, type RedisClient, whenReady } from '../../shared/redis/connect.ts';

const connectTimeoutMs = 5_000;

export async function requireRedis<Result>(work: (redis: RedisClient) => Promise<Result>): Promise<Result> {
  const { redisAddress } = loadCommandConfig(['redisAddress']);
  if (redisAddress === undefined) throw new ConfigurationError(['REDIS_URL: the Redis that holds the wallets']);
  const redis = connectRedis(redisAddress, () => {});
  try {
    await whenReady(redis, connectTimeoutMs);
    return await work(redis);
  } finally {
    redis.disconnect();
  }
}
