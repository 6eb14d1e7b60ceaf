/** What keeps a number of replicas from doing more. */
import type { LoadResult } from '../load/job.ts';
import { coreCount } from '../measure/pin.ts';
import { medianOf } from '../measure/statistics.ts';
import { percent, significant } from '../report/format.ts';
import { load, microsecondsPerRequest, othersLoad, perPiece } from './figures.ts';

/** Each of them works in one thread, so that one core is all it can use. */
const singleThreaded = { redis: 'Redis', load: 'the load generator', upstream: 'the upstream' } as const;
const fullAt = 0.9;
/** No scheduler keeps every core busy with what waits for each other. */
const machineFullAt = 0.85;

export function limitOf(results: readonly LoadResult[], replicas: number): string {
  const cores = (group: string) => medianOf(results.map((result) => load(result, group)));
  for (const [group, name] of Object.entries(singleThreaded)) {
    if (cores(group) >= fullAt) return `${name}, which uses ${percent(cores(group))} of the one core that it can use`;
  }
  const own = cores('contender');
  const others = medianOf(results.map(othersLoad));
  if (own >= fullAt * replicas) return 'the replicas themselves';
  if (own + others >= machineFullAt * coreCount) {
    return `the machine: of its ${coreCount} cores the replicas use ${significant(own)} and all else ${significant(others)}`;
  }
  return 'neither Redis, nor the load generator, nor the upstream, nor the machine';
}

/** How far one Redis would go, were there cores enough for everything else. */
export function ceilings(results: readonly LoadResult[]): string {
  const own = medianOf(results.map(microsecondsPerRequest));
  const redis = medianOf(results.map((result) => perPiece(result, 'redis', result.requests)));
  return (
    `A request costs Redis ${significant(redis)} µs and the replicas ${significant(own)} µs: one Redis carries ` +
    `${significant(1e6 / redis)} requests a second, and ${significant(own / redis)} replicas, each with a core, would ask for them. ` +
    'More than one Redis share the accounts as a cluster.'
  );
}
