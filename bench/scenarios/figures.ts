/** The figures that several scenarios share. */
import type { LoadResult } from '../load/job.ts';
import type { Series } from '../measure/alternate.ts';
import { medianOf } from '../measure/statistics.ts';

export const requestsPerSecond = ({ requests, seconds }: LoadResult) => requests / seconds;
export const microsecondsPerRequest = (result: LoadResult) => microsecondsPer(result, 'contender', result.requests);
export const microsecondsPerChunk = (result: LoadResult) => microsecondsPer(result, 'contender', result.chunks);

/** CPU time of one group for each request or chunk. */
export function microsecondsPer({ cpu }: LoadResult, group: string, units: number): number {
  return ((cpu[group] ?? 0) * 1e6) / Math.max(1, units);
}

/** What a request costs the gateway in all programs together. */
export function microsecondsInAll(result: LoadResult): number {
  const groups = ['contender', 'redis', 'admin', 'postgres'];
  return groups.reduce((sum, group) => sum + microsecondsPer(result, group, result.requests), 0);
}

/** How busy a group was, in cores. */
export const load = (result: LoadResult, group: string) => (result.cpu[group] ?? 0) / result.seconds;

/** The other processes that work for a request. */
export const otherGroups = ['load', 'upstream', 'redis', 'admin', 'postgres'] as const;

export const othersLoad = (result: LoadResult) => otherGroups.reduce((sum, group) => sum + load(result, group), 0);

export function medianBy({ results }: Series, figure: (result: LoadResult) => number): number {
  return medianOf(results.map(figure));
}

/** Computed round by round, so that both sides of a ratio were measured within seconds of each other. */
export function ratios(
  series: Series,
  baseline: Series | undefined,
  figure: (result: LoadResult) => number,
): number[] | undefined {
  if (baseline === undefined) return undefined;
  return series.results.flatMap((result, round) => {
    const base = baseline.results[round];
    return base === undefined ? [] : [figure(result) / figure(base)];
  });
}

/** The median of the last quarter, relative to that of the second one; the first one is warm-up. */
export function growthOf(values: readonly number[]): number[] | undefined {
  const quarter = Math.floor(values.length / 4);
  if (quarter === 0) return undefined;
  const medianFrom = (first: number) => medianOf(values.slice(first, first + quarter));
  return [medianFrom(values.length - quarter) / medianFrom(quarter)];
}
