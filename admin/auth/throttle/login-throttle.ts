/**
 * Slows down password guessing, at log-in and whenever a logged-in user has to enter their password again. Guesses are
 * counted per account and address: after the first few there is a pause, and each further one makes it longer. Guesses
 * from elsewhere never lock the owner out. An address that guesses at many accounts is refused for a while, except at
 * accounts that someone has logged in to from there.
 *
 * A guess is counted before the password is checked, and taken back if it was right, so that simultaneous guesses all
 * count.
 */
import beginGuess from './begin-guess.lua' with { type: 'text' };
import endGuess from './end-guess.lua' with { type: 'text' };
import { hashEmail, type Throttle, throttleKey } from './throttle.ts';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

const keptMs = dayMs;
const windowMs = 15 * minuteMs;
const withoutPause = 5;
/** From all addresses: beyond this, a stranger pauses after the first wrong guess. */
const accountGuessesMax = 50;
const addressGuessesMax = 100;
const longestPauseMs = 15 * minuteMs;
const knownForMs = 30 * dayMs;

export const guessesRefusal = 'Too many wrong passwords. Try again later.';

export interface Guess {
  readonly email: string;
  readonly address: string;
}

export class LoginThrottle {
  readonly #throttle: Throttle;

  constructor(throttle: Throttle) {
    this.#throttle = throttle;
  }

  /** Counts as wrong until `succeeded` or `cancelled` is called. Throws GatewayError `too_many_attempts`. */
  begin(guess: Guess): Promise<void> {
    return this.#throttle.enforce(beginGuess, {
      keys: keysOf(guess),
      values: [keptMs, windowMs, withoutPause, accountGuessesMax, addressGuessesMax, longestPauseMs],
      refusal: guessesRefusal,
    });
  }

  /** The address is now known to the account. */
  async succeeded(guess: Guess): Promise<void> {
    await this.#throttle.run(endGuess, keysOf(guess), [knownForMs]);
  }

  /** The password could not be checked. */
  async cancelled(guess: Guess): Promise<void> {
    await this.#throttle.run(endGuess, keysOf(guess), ['']);
  }
}

function keysOf({ email, address }: Guess): string[] {
  const account = hashEmail(email);
  return [
    throttleKey('guesses', account, address),
    throttleKey('guesses', account),
    throttleKey('guesses', address),
    throttleKey('known', account, address),
  ];
}
