/**
 * Limits failed log-ins to 10 an account and 50 an address in 15 minutes. An attempt is counted before the password is
 * looked at and taken back when it was right, so that a thousand simultaneous guesses are not a thousand guesses.
 *
 * Without Redis log-ins are let through: the owner of a password must reach his account, and the queue of the password
 * hasher still slows a guesser down.
 */
import { GatewayError } from '../../shared/errors.ts';
import type { Log } from '../../shared/log.ts';
import type { RedisClient } from '../../shared/redis/connect.ts';
import returnAttempt from './return-attempt.lua' with { type: 'text' };
import takeAttempt from './take-attempt.lua' with { type: 'text' };

const windowMs = 15 * 60 * 1000;
const accountFailuresMax = 10;
const addressFailuresMax = 50;

export interface LoginAttempt {
  readonly email: string;
  readonly address: string;
}

interface Counter {
  readonly key: string;
  readonly max: number;
}

export class LoginThrottle {
  readonly #redis: RedisClient;
  readonly #log: Log;

  constructor(redis: RedisClient, log: Log) {
    this.#redis = redis;
    this.#log = log;
  }

  /** Counts as failed until `takeBack`. Throws GatewayError `too_many_attempts`. */
  async count(attempt: LoginAttempt): Promise<void> {
    const counted: Counter[] = [];
    for (const counter of countersOf(attempt)) {
      const waitMs = await this.#take(counter);
      if (waitMs > 0) {
        await this.#return(counted);
        throw new GatewayError('too_many_attempts', 'Too many failed log-ins. Try again later.', {
          retryAfterSeconds: Math.ceil(waitMs / 1000),
        });
      }
      counted.push(counter);
    }
  }

  /** The attempt did not fail: the password was right, or it could not be checked. */
  takeBack(attempt: LoginAttempt): Promise<void> {
    return this.#return(countersOf(attempt));
  }

  async #take(counter: Counter): Promise<number> {
    try {
      return Number(await this.#redis.eval(takeAttempt, 1, counter.key, windowMs, counter.max));
    } catch (error) {
      this.#log.warn({ err: error }, 'log-ins are not throttled, because Redis cannot be reached');
      return 0;
    }
  }

  async #return(counters: readonly Counter[]): Promise<void> {
    try {
      await Promise.all(counters.map(({ key }) => this.#redis.eval(returnAttempt, 1, key)));
    } catch (error) {
      this.#log.warn({ err: error }, 'a log-in attempt stays counted, because Redis cannot be reached');
    }
  }
}

/** Addresses of people do not belong into key names, so the e-mail is hashed. */
function countersOf({ email, address }: LoginAttempt): Counter[] {
  const emailHash = new Bun.CryptoHasher('sha256').update(email.trim().toLowerCase()).digest('hex');
  return [
    { key: `auth:failures:account:${emailHash}`, max: accountFailuresMax },
    { key: `auth:failures:address:${address}`, max: addressFailuresMax },
  ];
}
