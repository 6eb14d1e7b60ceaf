/**
 * Hashes and verifies passwords with argon2id. Each takes 64 MiB and a fifth of a second, so only a few run at once and
 * a limited number wait: a flood of log-ins is refused instead of exhausting the memory.
 */
import { GatewayError } from '../../../shared/errors.ts';

const algorithm = { algorithm: 'argon2id', memoryCost: 65_536, timeCost: 2 } as const;
const retryAfterSeconds = 5;

/**
 * The hash of a random password, made with the same costs. Verifying against it makes a log-in with an unknown e-mail
 * take as long as one with a wrong password.
 */
const unmatchableHash =
  '$argon2id$v=19$m=65536,t=2,p=1$P/VdU89CKCGNH2kpmTGbu5534015UDrxMqvTaUwg+O4$B6MTCLy20XE8im+2nAfDQnR1OzNykCo88cx/YCXWu5c';

export class PasswordHasher {
  readonly #atOnceMax: number;
  readonly #waitingMax: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(options: { atOnceMax: number; waitingMax: number } = { atOnceMax: 2, waitingMax: 50 }) {
    this.#atOnceMax = options.atOnceMax;
    this.#waitingMax = options.waitingMax;
  }

  /** Throws GatewayError `overloaded`, as `verify` does. */
  hash(password: string): Promise<string> {
    return this.#inTurn(() => Bun.password.hash(password, algorithm));
  }

  /** False, after the same work, if there is no hash to compare with. */
  verify(password: string, hash: string | undefined): Promise<boolean> {
    return this.#inTurn(async () => {
      const matches = await Bun.password.verify(password, hash ?? unmatchableHash);
      return matches && hash !== undefined;
    });
  }

  async #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    await this.#acquireSlot();
    try {
      return await work();
    } finally {
      this.#releaseSlot();
    }
  }

  async #acquireSlot(): Promise<void> {
    if (this.#running < this.#atOnceMax) {
      this.#running += 1;
      return;
    }
    if (this.#waiting.length >= this.#waitingMax) throw tooManyPasswords();
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** Hands the slot directly to the next in line, so that no newcomer takes it first. */
  #releaseSlot(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#running -= 1;
    else next();
  }
}

export function tooManyPasswords(): GatewayError {
  return new GatewayError('overloaded', 'Too many passwords are being checked. Try again in a moment.', {
    retryAfterSeconds,
  });
}
