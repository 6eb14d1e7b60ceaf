/**
 * Limits wrong passwords to 10 an account and 50 an address in 15 minutes, at log-in and wherever a logged-in user is
 * asked for his password again. An attempt is counted before the password is looked at and taken back when it was
 * right, so that a thousand simultaneous guesses are not a thousand guesses.
 */
import { type Counter, hashEmail, type Throttle } from './throttle.ts';

const windowMs = 15 * 60 * 1000;
const accountFailuresMax = 10;
const addressFailuresMax = 50;

export interface LoginAttempt {
  readonly email: string;
  readonly address: string;
}

export class LoginThrottle {
  readonly #throttle: Throttle;

  constructor(throttle: Throttle) {
    this.#throttle = throttle;
  }

  /** Counts as failed until `takeBack`. Throws GatewayError `too_many_attempts`. */
  count(attempt: LoginAttempt): Promise<void> {
    return this.#throttle.take(countersOf(attempt), 'Too many wrong passwords. Try again later.');
  }

  /** The attempt did not fail: the password was right, or it could not be checked. */
  takeBack(attempt: LoginAttempt): Promise<void> {
    return this.#throttle.giveBack(countersOf(attempt));
  }

  /** Whoever has just set a new password by mail has proved more than a password does. */
  forgive(email: string): Promise<void> {
    return this.#throttle.forget([accountCounter(email)]);
  }
}

function accountCounter(email: string): Counter {
  return { key: `auth:failures:account:${hashEmail(email)}`, max: accountFailuresMax, windowMs };
}

function countersOf({ email, address }: LoginAttempt): Counter[] {
  return [accountCounter(email), { key: `auth:failures:address:${address}`, max: addressFailuresMax, windowMs }];
}
