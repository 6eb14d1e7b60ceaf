/** Lends a command Redis. */
import { ConfigurationError } from '../../shared/config/environment.ts';
import { connectRedis, type RedisClient, whenReady } from '../../shared/redis/connect.ts';
import { loadCommandConfig } from '../config/admin.ts';

const optionalTimeoutMs = 2_000;
const requiredTimeoutMs = 5_000;

/**
 * For a command that works without it. False if Redis is missing or failed: admin delivers later what was committed to
 * Postgres.
 */
export async function withRedis(work: (redis: RedisClient) => Promise<unknown>): Promise<boolean> {
  const { redisAddress } = loadCommandConfig(['redisAddress']);
  if (redisAddress === undefined) return false;
  const redis = connectRedis(redisAddress, () => {});
  try {
    await whenReady(redis, optionalTimeoutMs);
    await work(redis);
    return true;
  } catch {
    return false;
  } finally {
    redis.disconnect();
  }
}

/** For a command that needs Redis. Throws if it cannot be reached. */
export async function requireRedis<Result>(work: (redis: RedisClient) => Promise<Result>): Promise<Result> {
  const { redisAddress } = loadCommandConfig(['redisAddress']);
  if (redisAddress === undefined) throw new ConfigurationError(['REDIS_URL: the Redis that holds the wallets']);
  const redis = connectRedis(redisAddress, () => {});
  try {
    await whenReady(redis, requiredTimeoutMs);
    return await work(redis);
  } finally {
    redis.disconnect();
  }
}
