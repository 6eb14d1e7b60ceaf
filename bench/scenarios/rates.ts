/** The rates at which contenders are compared, well below the maximum of each contender that takes part. */

export const lowerRate = 500;
export const upperRate = 1_000;
/** The share of a contender's throughput in a closed loop; above it, queueing would be measured. */
export const bearableShare = 0.7;

export interface Capacity {
  readonly name: string;
  /** Requests a second in a closed loop. */
  readonly capacity: number;
}

/** Ascending, without duplicates, each with the contenders that can reach it. */
export function bearableRates(all: readonly Capacity[]): { rate: number; names: string[] }[] {
  const gateway = all.find(({ name }) => name === 'gateway')?.capacity ?? Number.POSITIVE_INFINITY;
  const slowest = Math.min(...all.map(({ capacity }) => capacity));
  const rates = [Math.min(lowerRate, share(slowest)), Math.min(upperRate, share(gateway))];
  return [...new Set(rates)].map((rate) => ({
    rate,
    names: all.filter(({ capacity }) => rate <= share(capacity)).map(({ name }) => name),
  }));
}

const share = (capacity: number) => Math.max(1, Math.floor(capacity * bearableShare));
