/**
 * The ratio of what a deployment counts to what we count: the median over accounts, so that none of them alone decides
 * what the others pay. Each has one vote, which it casts again at most once an hour with the requests it finishes then.
 */

/** An account's vote is complete after as many of our tokens. */
const voteTokensMax = 4_000;
const accountsMax = 64;
const voteHoursMax = 24;
/** No charge is raised by more than a tenth. */
const riseMax = 1.1;
const hourMs = 3_600_000;

interface Vote {
  readonly hour: number;
  reported: number;
  counted: number;
}

/** What a finished request was reported and counted as, in tokens. */
export interface Sample {
  readonly accountId: number;
  readonly reported: number;
  readonly counted: number;
}

export interface RatioLimits {
  /** Until there is a vote. */
  readonly initial: number;
  /** The smallest sample that counts. */
  readonly sampleMin: number;
  /** The share of the initial ratio below which it never falls. */
  readonly fallMax: number;
  /** By which factor a sample may differ from the initial ratio to count at all. */
  readonly sampleRatioMax: number;
}

export class MedianRatio {
  /** By account, the latest last. */
  readonly #votes = new Map<number, Vote>();
  readonly #limits: RatioLimits;
  #value: number;

  constructor(limits: RatioLimits) {
    this.#limits = limits;
    this.#value = limits.initial;
  }

  get value(): number {
    return this.#value;
  }

  /** The median without its limits; undefined until there is a vote. */
  get measured(): number | undefined {
    return this.#votes.size === 0 ? undefined : this.#median();
  }

  learn({ accountId, reported, counted }: Sample, nowMs: number): void {
    const { initial, sampleMin, sampleRatioMax, fallMax } = this.#limits;
    const ratio = reported / counted / initial;
    if (counted < sampleMin || !(ratio >= 1 / sampleRatioMax && ratio <= sampleRatioMax)) return;
    const hour = Math.floor(nowMs / hourMs);
    const known = this.#votes.get(accountId);
    const vote = known?.hour === hour ? known : { hour, reported: 0, counted: 0 };
    if (vote.counted >= voteTokensMax) return;
    vote.reported += reported;
    vote.counted += counted;
    this.#votes.delete(accountId);
    this.#votes.set(accountId, vote);
    this.#forget(hour);
    this.#value = initial * clamp(this.#median() / initial, { least: fallMax, most: riseMax });
  }

  #forget(hour: number): void {
    for (const [accountId, vote] of this.#votes) {
      if (this.#votes.size <= accountsMax && hour - vote.hour < voteHoursMax) break;
      this.#votes.delete(accountId);
    }
  }

  #median(): number {
    const ratios = [...this.#votes.values()].map(({ reported, counted }) => reported / counted).sort((a, b) => a - b);
    const middle = ratios.length / 2;
    const [low = 1, high = low] = [ratios[Math.ceil(middle) - 1], ratios[Math.floor(middle)]];
    return (low + high) / 2;
  }
}

function clamp(value: number, { least, most }: { least: number; most: number }): number {
  return Math.min(most, Math.max(least, value));
}
