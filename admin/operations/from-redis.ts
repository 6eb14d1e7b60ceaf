/** Reads data that exists only in Redis. */
import { GatewayError } from '../../shared/errors.ts';

const retryAfterSeconds = 5;

/** Throws GatewayError `wallet_unavailable`. */
export async function fromRedis<Result>(read: () => Promise<Result>): Promise<Result> {
  try {
    return await read();
  } catch (cause) {
    throw redisUnreadable(cause);
  }
}

export function redisUnreadable(cause: unknown): GatewayError {
  return new GatewayError('wallet_unavailable', 'Redis is currently unavailable.', { retryAfterSeconds, cause });
}
