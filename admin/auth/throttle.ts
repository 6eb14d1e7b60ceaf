/**
 * Counts attempts in Redis, so that all replicas count together, and refuses them above a limit.
 *
 * Without Redis everything is let through: the owner of an account must reach it, and the queue of the password hasher
 * still slows a guesser down.
 */
import { GatewayError } from '../../shared/errors.ts';
import type { Log } from '../../shared/log.ts';
import type { RedisClient } from '../../shared/redis/connect.ts';
import returnAttempt from './return-attempt.lua' with { type: 'text' };
import takeAttempt from './take-attempt.lua' with { type: 'text' };

export interface Counter {
  readonly key: string;
  readonly max: number;
  /** Begins with the first attempt. */
  readonly windowMs: number;
}

export class Throttle {
  readonly #redis: RedisClient;
  readonly #log: Log;

  constructor(redis: RedisClient, log: Log) {
    this.#redis = redis;
    this.#log = log;
  }

  /** Counts an attempt everywhere or nowhere. Throws GatewayError `too_many_attempts` with this message. */
  async take(counters: readonly Counter[], refusal: string): Promise<void> {
    const taken: Counter[] = [];
    for (const counter of counters) {
      const waitMs = await this.#takeOne(counter);
      if (waitMs > 0) {
        await this.giveBack(taken);
        throw new GatewayError('too_many_attempts', refusal, { retryAfterSeconds: Math.ceil(waitMs / 1000) });
      }
      taken.push(counter);
    }
  }

  /** The attempt does not count after all. */
  async giveBack(counters: readonly Counter[]): Promise<void> {
    try {
      await Promise.all(counters.map(({ key }) => this.#redis.eval(returnAttempt, 1, key)));
    } catch (error) {
      this.#log.warn({ err: error }, 'an attempt stays counted, because Redis cannot be reached');
    }
  }

  /** As if there had been no attempt. */
  async forget(counters: readonly Counter[]): Promise<void> {
    try {
      await Promise.all(counters.map(({ key }) => this.#redis.del(key)));
    } catch (error) {
      this.#log.warn({ err: error }, 'attempts stay counted, because Redis cannot be reached');
    }
  }

  async #takeOne({ key, windowMs, max }: Counter): Promise<number> {
    try {
      return Number(await this.#redis.eval(takeAttempt, 1, key, windowMs, max));
    } catch (error) {
      this.#log.warn({ err: error }, 'attempts are not throttled, because Redis cannot be reached');
      return 0;
    }
  }
}

/** Addresses of people do not belong into key names. */
export function hashEmail(email: string): string {
  return new Bun.CryptoHasher('sha256').update(email.trim().toLowerCase()).digest('hex');
}
