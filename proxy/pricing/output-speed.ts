/**
 * How fast a deployment generates output, learned from finished responses: for the output of a response of which nothing has
 * arrived, because the request was aborted. The time before the first token counts, as it does where this is applied.
 *
 * The speed is the median of the accounts' own averages and an initial guess, so one account has one vote, however many
 * requests it sends. Kept in memory, separately in each replica.
 */
import { monotonicMs } from '../../shared/durations.ts';

/** In tokens a second. */
export const initialSpeed = 30;
/** Faster than any provider: such a response came from a cache. */
const speedMax = 5_000;
/** The duration of a shorter response says little about its model. */
const sampleTokensMin = 32;
/** The weight of an account's newest response in its average. */
const newestShare = 0.2;
const accountsMax = 64;
const deploymentsMax = 4_096;

export interface TimedRequest {
  readonly deployment: string;
  readonly accountId: number;
  /** Generated at the same time. */
  readonly choices: number;
  /** Monotonic. */
  readonly sentAtMs: number;
}

export class OutputSpeeds {
  /** By deployment, then by account: tokens a second of one choice. */
  readonly #speeds = new Map<string, Map<number, number>>();
  readonly #nowMs: () => number;

  /** By a clock that is never set back. */
  constructor(nowMs: () => number = monotonicMs) {
    this.#nowMs = nowMs;
  }

  /** The response has just been finished, with so much output in all choices. */
  learn({ deployment, accountId, choices, sentAtMs }: TimedRequest, outputTokens: number): void {
    const tokens = outputTokens / choices;
    if (tokens < sampleTokensMin) return;
    const speed = Math.min(speedMax, tokens / ((this.#nowMs() - sentAtMs) / 1_000));
    const byAccount = this.#accountsOf(deployment);
    const average = byAccount.get(accountId);
    byAccount.set(accountId, average === undefined ? speed : average + newestShare * (speed - average));
    dropOldest(byAccount, accountsMax);
  }

  /** Tokens a second of one choice; undefined until a response has been measured. */
  measuredSpeedOf(deployment: string): number | undefined {
    return this.#speeds.has(deployment) ? this.#speedOf(deployment) : undefined;
  }

  /** What all choices of a request that runs have most likely generated until now. */
  estimateOutput({ deployment, choices, sentAtMs }: TimedRequest): number {
    return Math.floor(choices * this.#speedOf(deployment) * ((this.#nowMs() - sentAtMs) / 1_000));
  }

  #speedOf(deployment: string): number {
    const votes = [initialSpeed, ...(this.#speeds.get(deployment)?.values() ?? [])].sort((one, other) => one - other);
    const [lower = 0, upper = 0] = [votes[(votes.length - 1) >> 1], votes[votes.length >> 1]];
    return (lower + upper) / 2;
  }

  #accountsOf(deployment: string): Map<number, number> {
    let byAccount = this.#speeds.get(deployment);
    if (byAccount === undefined) {
      byAccount = new Map();
      this.#speeds.set(deployment, byAccount);
      dropOldest(this.#speeds, deploymentsMax);
    }
    return byAccount;
  }
}

function dropOldest<Key>(map: Map<Key, unknown>, sizeMax: number): void {
  if (map.size <= sizeMax) return;
  for (const oldest of map.keys()) {
    map.delete(oldest);
    return;
  }
}
