/** At which rates contenders are measured alike: none of those that take part is near the limit of what it can do. */

export const lowerRate = 500;
export const upperRate = 1_500;
/** Of what a contender does in a closed loop; with more, queues would be measured. */
export const bearableShare = 0.7;

interface Capacity {
  readonly name: string;
  /** Requests a second in a closed loop. */
  readonly capacity: number;
}

/** Ascending, without repetition, each with those who can bear it. */
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
