/** The gateway's targets. Each scenario compares its own figures with them; the report begins with all of them. */
import { medianOf } from '../measure/statistics.ts';
import { withSpread } from '../report/format.ts';
import type { Target } from '../report/section.ts';

/** What the gateway should reach on two cores; figures of bare Bun and Portkey are from the same run. */
export const limits = {
  /** In a closed loop. At the same rate there is no target: it depends on how long the cores sleep between two requests. */
  cpuPerRequestOfBare: 2.2,
  /** Everything shares all cores. */
  throughputOfBare: 0.42,
  throughputOfPortkey: 14,
  /** In a closed loop: Redis alone, and everything that works for a request. */
  redisMicrosecondsPerRequest: { many: 30, few: 10 },
  allMicrosecondsPerRequest: 190,
  cpuWithBudgets: 1.1,
  p99OfPortkey: 0.2,
  addedP50Ms: 0.2,
  addedP99Ms: 3,
  cpuPerChunkOfBare: 2,
  cpuPerLargePromptOfBare: 3,
  kilobytesPerStream: 100,
  /** Beyond the first thousand. */
  kilobytesPerFurtherStream: 40,
  gapP99OfUpstream: 2,
  throughputOfOneReplica: 1.7,
  /** The last quarter of the soak relative to the second: anything above is growth, anything below is heap noise. */
  memoryGrowth: 1.05,
} as const;

interface Measured {
  readonly figure: string;
  /** One per round; undefined if a contender of the comparison does not take part. */
  readonly values: readonly number[] | undefined;
  readonly limit: number;
  /** A remark on the value. */
  readonly remark?: string | undefined;
}

export function atMost(measured: Measured): Target[] {
  return compare(measured, '≤', (value) => value <= measured.limit);
}

export function atLeast(measured: Measured): Target[] {
  return compare(measured, '≥', (value) => value >= measured.limit);
}

function compare(
  { figure, values, limit, remark }: Measured,
  sign: string,
  isMet: (value: number) => boolean,
): Target[] {
  if (values === undefined || values.length === 0) return [];
  const written = remark === undefined ? withSpread(values) : `${withSpread(values)}; ${remark}`;
  return [{ figure, wanted: `${sign} ${limit}`, measured: written, met: isMet(medianOf(values)) }];
}
