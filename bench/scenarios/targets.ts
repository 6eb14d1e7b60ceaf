/** What the gateway is to reach. Each scenario says of its own figures whether it does; the report begins with all of them. */
import { medianOf } from '../measure/statistics.ts';
import { withSpread } from '../report/format.ts';
import type { Target } from '../report/section.ts';

/** The limits, as they were set before anything was measured. */
export const limits = {
  cpuPerRequestOfBare: 1.6,
  throughputOfBare: 0.6,
  throughputOfPortkey: 12,
  p99OfPortkey: 0.2,
  addedP50Ms: 0.5,
  addedP99Ms: 3,
  cpuPerChunkOfBare: 1.4,
  kilobytesPerStream: 100,
  gapP99OfUpstream: 2,
  throughputOfOneReplica: 1.7,
  /** The last quarter of the soak against the second: what is above is growth, what is below is noise of the heap. */
  memoryGrowth: 1.05,
} as const;

interface Measured {
  readonly figure: string;
  /** One a round; undefined where somebody does not take part with whom it is compared. */
  readonly values: readonly number[] | undefined;
  readonly limit: number;
  /** What a reader has to know of the value. */
  readonly remark?: string | undefined;
}

export function atMost(measured: Measured): Target[] {
  return judge(measured, '≤', (value) => value <= measured.limit);
}

export function atLeast(measured: Measured): Target[] {
  return judge(measured, '≥', (value) => value >= measured.limit);
}

function judge({ figure, values, limit, remark }: Measured, sign: string, isMet: (value: number) => boolean): Target[] {
  if (values === undefined || values.length === 0) return [];
  const written = remark === undefined ? withSpread(values) : `${withSpread(values)}; ${remark}`;
  return [{ figure, wanted: `${sign} ${limit}`, measured: written, met: isMet(medianOf(values)) }];
}
