/** Reports failures under load next to the figures, never averaged away. */
import type { Contender } from '../contenders/contender.ts';
import type { LoadResult } from '../load/job.ts';

export function failureNotices(
  series: readonly { contender: Pick<Contender, 'name'>; results: readonly LoadResult[] }[],
): string[] {
  return series.flatMap(({ contender, results }) => {
    const counts = new Map<string, number>();
    for (const { failures } of results) {
      for (const [reason, count] of Object.entries(failures)) counts.set(reason, (counts.get(reason) ?? 0) + count);
    }
    return [...counts].map(([reason, count]) => `${contender.name}: ${count} requests failed (${reason}).`);
  });
}
