/**
 * Hashes and verifies passwords with argon2id. Each takes 64 MiB and a fifth of a second, so only a few run concurrently and
 * a limited number wait: a flood of log-ins is refused instead of exhausting the memory.
 */
import { GatewayError } from '../../../shared/errors.ts';

/** The cost parameters of argon2id. */
export interface HashCosts {
  /** KiB. */
  readonly memoryCost: number;
  readonly timeCost: number;
  /**
   * The hash of a random password, made with the same costs. Verifying against it makes a log-in with an unknown e-mail
   * take as long as one with a wrong password.
   */
  readonly unmatchableHash: string;
}

const defaultCosts: HashCosts = {
  memoryCost: 65_536,
  timeCost: 2,
  unmatchableHash:
    '$argon2id$v=19$m=65536,t=2,p=1$P/VdU89CKCGNH2kpmTGbu5534015UDrxMqvTaUwg+O4$B6MTCLy20XE8im+2nAfDQnR1OzNykCo88cx/YCXWu5c',
};
const retryAfterSeconds = 5;

interface HasherOptions {
  readonly atOnceMax?: number;
  readonly waitingMax?: number;
  readonly costs?: HashCosts;
}

export class PasswordHasher {
  readonly #atOnceMax: number;
  readonly #waitingMax: number;
  readonly #costs: HashCosts;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor({ atOnceMax = 2, waitingMax = 50, costs = defaultCosts }: HasherOptions = {}) {
    this.#atOnceMax = atOnceMax;
    this.#waitingMax = waitingMax;
    this.#costs = costs;
  }

  /** Throws GatewayError `overloaded`, as `verify` does. */
  hash(password: string): Promise<string> {
    const { memoryCost, timeCost } = this.#costs;
    return this.#inTurn(() => Bun.password.hash(password, { algorithm: 'argon2id', memoryCost, timeCost }));
  }

  /** False, after the same work, if there is no hash to compare with. */
  verify(password: string, hash: string | undefined): Promise<boolean> {
    return this.#inTurn(async () => {
      const matches = await Bun.password.verify(password, hash ?? this.#costs.unmatchableHash);
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
