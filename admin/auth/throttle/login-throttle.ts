/**
 * Slows down who guesses passwords, at log-in and wherever a logged-in user is asked for his password again. Guesses are
 * counted by account and address together: after some of them there is a pause, and after each further one a longer one.
 * Nobody can shut the owner out by guessing from elsewhere. Who guesses at many accounts from one address is refused
 * there for a while, except at accounts that somebody has logged in to from that address.
 *
 * A guess is counted before the password is looked at and taken back when it was right, so that a thousand simultaneous
 * guesses are not a thousand guesses.
 */
import beginGuess from './begin-guess.lua' with { type: 'text' };
import endGuess from './end-guess.lua' with { type: 'text' };
import { hashEmail, type Throttle, throttleKey } from './throttle.ts';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

const keptMs = dayMs;
const windowMs = 15 * minuteMs;
const withoutPause = 5;
/** From many addresses: then a stranger's first wrong guess already has a pause. */
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

  /** Counts as wrong until it was `right` or `notJudged`. Throws GatewayError `too_many_attempts`. */
  begin(guess: Guess): Promise<void> {
    return this.#throttle.ask(beginGuess, {
      keys: keysOf(guess),
      values: [keptMs, windowMs, withoutPause, accountGuessesMax, addressGuessesMax, longestPauseMs],
      refusal: guessesRefusal,
    });
  }

  /** From now on the address is known to the account. */
  async right(guess: Guess): Promise<void> {
    await this.#throttle.run(endGuess, keysOf(guess), [knownForMs]);
  }

  /** The password could not be looked at. */
  async notJudged(guess: Guess): Promise<void> {
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
