/** Finds what limits the throughput of several replicas. */
import type { LoadResult } from '../load/job.ts';
import { medianOf } from '../measure/statistics.ts';
import { percent, significant } from '../report/format.ts';
import { load, microsecondsPer, microsecondsPerRequest } from './figures.ts';

/** Each of them is single-threaded, so it can use only one core. */
const singleThreaded = ['redis', 'load', 'upstream'];
const fullAt = 0.9;
/** No scheduler keeps several cores busy with programs that wait for each other. */
const sharedFullAt = 0.85;
const names: Readonly<Record<string, string>> = {
  contender: 'the replicas',
  redis: 'Redis',
  load: 'the load generator',
  upstream: 'the upstream',
  postgres: 'Postgres',
};

/** Cores shared by several programs. */
export interface SharedCores {
  readonly cores: number;
  readonly groups: readonly string[];
}

export function limitOf(results: readonly LoadResult[], replicas: number, shared: SharedCores): string {
  const cores = (group: string) => medianOf(results.map((result) => load(result, group)));
  const named = (group: string) => `${names[group] ?? group} ${percent(cores(group))}`;
  for (const group of singleThreaded) {
    if (cores(group) >= fullAt) return `${names[group]}, at ${percent(cores(group))} of the one core that it can use`;
  }
  if (cores('contender') >= fullAt * replicas) return 'the replicas themselves';
  const used = shared.groups.reduce((sum, group) => sum + cores(group), 0);
  const users = shared.groups.toSorted((a, b) => cores(b) - cores(a)).map(named);
  const which = shared.cores === 1 ? 'the core' : `the ${shared.cores} cores`;
  if (used >= sharedFullAt * shared.cores) return `${which} of ${users.join(', ')} (together ${percent(used)})`;
  return `not among the measured processes: ${users.join(', ')} leave ${which} that they share partly idle`;
}

/** How many replicas one Redis could serve if there were enough cores for everything else. */
export function ceilings(results: readonly LoadResult[]): string {
  const own = medianOf(results.map(microsecondsPerRequest));
  const redis = medianOf(results.map((result) => microsecondsPer(result, 'redis', result.requests)));
  return (
    `A request costs Redis ${significant(redis)} µs and the replicas ${significant(own)} µs: one Redis can serve ` +
    `${significant(1e6 / redis)} requests per second, the throughput of ${significant(own / redis)} replicas with a core each. ` +
    'A cluster spreads the accounts over several Redis servers.'
  );
}
