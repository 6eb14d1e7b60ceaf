/**
 * Counts attempts in Redis, shared by all replicas, and refuses them above a limit.
 *
 * Without Redis all attempts are allowed: owners must be able to reach their accounts, and the password hasher's queue
 * still slows a guesser down.
 */
import { GatewayError } from '../../../shared/errors.ts';
import type { Log } from '../../../shared/log.ts';
import type { RedisClient } from '../../../shared/redis/connect.ts';
import giveBack from './give-back.lua' with { type: 'text' };
import takeAttempts from './take-attempts.lua' with { type: 'text' };

export interface Counter {
  readonly key: string;
  readonly max: number;
  /** Begins with the first attempt. */
  readonly windowMs: number;
}

/**
 * Addresses are hashed, because key names must not hold personal data. All names hash to one slot, so that a script can
 * use several.
 */
export const throttleKey = (...parts: readonly string[]): string => ['{auth}', ...parts].join(':');

export function hashEmail(email: string): string {
  return new Bun.CryptoHasher('sha256').update(email.trim().toLowerCase()).digest('hex');
}

export class Throttle {
  readonly #redis: RedisClient;
  readonly #log: Log;

  constructor(redis: RedisClient, log: Log) {
    this.#redis = redis;
    this.#log = log;
  }

  /** Counts an attempt on every counter or on none. Throws GatewayError `too_many_attempts` with this message. */
  async take(counters: readonly Counter[], refusal: string): Promise<void> {
    await this.enforce(takeAttempts, { ...argumentsOf(counters), refusal });
  }

  /** The same for an attempt that is skipped without an error above a limit. */
  async allows(counters: readonly Counter[]): Promise<boolean> {
    const { keys, values } = argumentsOf(counters);
    return Number((await this.run(takeAttempts, keys, values)) ?? 0) <= 0;
  }

  /** Takes back one attempt. */
  async giveBack(key: string): Promise<void> {
    await this.run(giveBack, [key], []);
  }

  /** Runs a script that returns how many milliseconds to wait. Throws GatewayError `too_many_attempts`. */
  async enforce(
    script: string,
    { keys, values, refusal }: { keys: readonly string[]; values: readonly number[]; refusal: string },
  ): Promise<void> {
    const waitMs = Number((await this.run(script, keys, values)) ?? 0);
    if (waitMs <= 0) return;
    throw tooManyAttempts(refusal, waitMs);
  }

  /** Undefined if Redis cannot be reached. */
  async run(script: string, keys: readonly string[], values: readonly (number | string)[]): Promise<unknown> {
    try {
      return await this.#redis.eval(script, keys.length, ...keys, ...values);
    } catch (error) {
      this.#log.warn({ err: error }, 'attempts are not limited, because Redis cannot be reached');
      return undefined;
    }
  }
}

function argumentsOf(counters: readonly Counter[]) {
  return { keys: counters.map(({ key }) => key), values: counters.flatMap(({ windowMs, max }) => [windowMs, max]) };
}

export function tooManyAttempts(refusal: string, waitMs: number): GatewayError {
  return new GatewayError('too_many_attempts', refusal, { retryAfterSeconds: Math.ceil(waitMs / 1_000) });
}
