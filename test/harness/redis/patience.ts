/** How long the programs of a test wait for Redis. */
import { redisCommandTimeoutMs } from '../../../shared/redis/connect.ts';

/**
 * A program that waits for a core finds the reply when it gets one; with the usual limit it would take Redis for gone, and
 * refuse requests.
 */
export const redisPatienceMs = 30_000;

/** For the tests in which Redis does not reply: as in production. */
export const usualPatience = { REDIS_COMMAND_TIMEOUT_MS: String(redisCommandTimeoutMs) };
