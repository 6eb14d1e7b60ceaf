/** Two proxies instead of one, each on its own port or both on one: how much more throughput they have, and what limits it. */
import { freePort } from '../../local/servers/ports.ts';
import type { RunningContender } from '../contenders/contender.ts';
import { startGatewayOn } from '../contenders/gateway.ts';
import { chatBody } from '../load/bodies.ts';
import type { LoadResult } from '../load/job.ts';
import { measure, warmUp } from '../measure/alternate.ts';
import { coreCount, coresFrom, otherCores, pin } from '../measure/pin.ts';
import { medianOf } from '../measure/statistics.ts';
import { percent, significant, withSpread } from '../report/format.ts';
import type { Section, Table } from '../report/section.ts';
import type { Stage } from '../stage/stage.ts';
import { failureNotices } from './failures.ts';
import { load, microsecondsPerRequest, otherGroups, requestsPerSecond } from './figures.ts';
import { ceilings, limitOf, type SharedCores } from './replica-limits.ts';
import { atLeast, limits } from './targets.ts';

/** Of each replica. */
const connections = 64;
const body = chatBody('whole');
const mode = { kind: 'closed', connections } as const;
const second = 'the second replica';
/** Postgres tidies up now and then, and everything shares cores with it here: with two rounds that would be the figure. */
const roundsMin = 5;
/** With fewer cores, two replicas share theirs with everything else. */
const coresForReplicasAlone = 4;

interface Arrangement {
  readonly name: string;
  /** One core a replica. */
  readonly cores: readonly string[];
  /** Where everything else runs. */
  readonly others: string;
}

const arrangements = {
  oneOnOne: { name: 'one replica and everything else on one core', cores: ['0'], others: '0' },
  twoOnTwo: { name: 'two replicas and everything else on two cores', cores: ['0', '1'], others: '0,1' },
  onOnePort: { name: 'two replicas on one port and everything else on two cores', cores: ['0', '1'], others: '0,1' },
  oneApart: { name: 'one replica on its own core, everything else elsewhere', cores: ['0'], others: otherCores },
  twoApart: {
    name: 'two replicas on their own cores, everything else elsewhere',
    cores: ['0', '1'],
    others: coresFrom(2),
  },
} as const satisfies Record<string, Arrangement>;

const all: SharedCores = { cores: 2, groups: ['contender', ...otherGroups] };
const elsewhere: SharedCores = {
  cores: Math.max(1, coreCount - 2),
  groups: coreCount === 2 ? [second, ...otherGroups] : otherGroups,
};

type Results = Record<keyof typeof arrangements, LoadResult[]>;

const names = ['oneOnOne', 'twoOnTwo', 'onOnePort', 'oneApart', 'twoApart'] as const;

export async function replicas(stage: Stage): Promise<Section> {
  const results: Results = { oneOnOne: [], twoOnTwo: [], onOnePort: [], oneApart: [], twoApart: [] };
  const running: RunningContender[] = [];
  const start = async (environment: Readonly<Record<string, string>>) => {
    running.push(await startGatewayOn(stage.stores, environment));
  };
  const onePort = { PROXY_PORT: String(await freePort()), PROXY_REUSE_PORT: 'true' };
  try {
    for (const environment of [{}, {}, onePort, onePort]) await start(environment);
    for (const each of running) await warmUp(stage, each, { body, mode, warmUpMs: 0 });
    const [apart, sharing] = [running.slice(0, 2), running.slice(2)];
    const rounds = stage.quick ? stage.rounds : Math.max(stage.rounds, roundsMin);
    for (let round = 1; round <= rounds; round += 1) {
      for (const name of names) {
        const arrangement = arrangements[name];
        arrange(arrangement, name === 'onOnePort' ? sharing : apart);
        const taking = apart.slice(0, arrangement.cores.length);
        results[name].push(
          name === 'onOnePort' ? await measureOnOnePort(stage, sharing) : await measureTogether(stage, taking),
        );
      }
    }
  } finally {
    pin(process.pid, otherCores);
    await Promise.all(running.map((each) => each.stop()));
  }
  return describe(results);
}

/** One load for both; the kernel spreads its connections. */
async function measureOnOnePort(stage: Stage, [first, other]: readonly RunningContender[]): Promise<LoadResult> {
  if (first === undefined || other === undefined) throw new Error('no two replicas');
  const load = { body, warmUpMs: 500, measureMs: stage.seconds * 1_000 };
  const watched = { ...first, helpers: { ...first.helpers, [second]: [other.pid] } };
  const result = await measure(stage, watched, { ...load, mode: { kind: 'closed', connections: 2 * connections } });
  return { ...result, cpu: { ...result.cpu, contender: cpuOfBoth(result) } };
}

function cpuOfBoth({ cpu }: LoadResult): number {
  return (cpu.contender ?? 0) + (cpu[second] ?? 0);
}

/** Everything is a child of the bench, so the replicas are pinned last. */
function arrange({ cores, others }: Arrangement, running: readonly RunningContender[]): void {
  pin(process.pid, others);
  for (const [index, { pid }] of running.entries()) pin(pid, cores[index] ?? others);
}

/** One load per replica, concurrently; all processes are observed over the interval of the first. */
async function measureTogether(stage: Stage, [first, other]: readonly RunningContender[]): Promise<LoadResult> {
  if (first === undefined) throw new Error('no replica');
  const load = { body, mode, warmUpMs: 500, measureMs: stage.seconds * 1_000 };
  if (other === undefined) return measure(stage, first, load);
  const watched = { ...first, helpers: { ...first.helpers, [second]: [other.pid] } };
  const [one, two] = await Promise.all([measure(stage, watched, load), measure(stage, other, load)]);
  const failures = { ...one.failures, ...two.failures };
  return { ...one, requests: one.requests + two.requests, failures, cpu: { ...one.cpu, contender: cpuOfBoth(one) } };
}

function describe(results: Results): Section {
  const ownCores = coreCount >= coresForReplicasAlone;
  const together = gain(results.twoOnTwo, results.oneOnOne);
  const onOnePort = gain(results.onOnePort, results.oneOnOne);
  const apart = gain(results.twoApart, results.oneApart);
  return {
    id: 'replicas',
    title: 'Two replicas',
    method:
      `${connections} connections to each replica, in a closed loop; one Redis, one ledger, one upstream. With all ` +
      'processes on one core and on two cores, two replicas would do twice as much as one if they did not slow each ' +
      'other down at all. On one port, the kernel spreads the connections of both. With a core for each replica, the measurement shows what becomes the next bottleneck.' +
      (ownCores
        ? ''
        : ` This machine has ${coreCount} cores, so the second replica shares its core with everything else.`),
    tables: [table(results)],
    notices: [
      `Twice the cores: ${withSpread(together)} times the throughput. The limit is ${limitOf(results.twoOnTwo, 2, all)}.`,
      `Twice the cores, both on one port (\`PROXY_REUSE_PORT\`): ${withSpread(onOnePort)} times the throughput. ` +
        `The limit is ${limitOf(results.onOnePort, 2, all)}.`,
      `One core each: ${withSpread(apart)} times the throughput. The limit is ${limitOf(results.twoApart, 2, elsewhere)}.`,
      ceilings(results.twoOnTwo),
      ...failureNotices([{ contender: { name: 'gateway' }, results: Object.values(results).flat() }]),
    ],
    targets: [
      ...atLeast({
        figure: 'two replicas’ requests per second, relative to one’s',
        values: ownCores ? apart : together,
        limit: limits.throughputOfOneReplica,
        remark: ownCores ? undefined : 'with everything else on as many cores as replicas',
      }),
    ],
    figures: results,
  };
}

function table(results: Results): Table {
  return {
    columns: ['', 'requests/s', 'replicas’ CPU µs per request', 'replicas', ...otherGroups, 'cores in use'],
    rows: names.map((name) => {
      const cores = (group: string) => medianOf(results[name].map((result) => load(result, group)));
      const groups = ['contender', ...otherGroups].map(cores);
      return [
        arrangements[name].name,
        withSpread(results[name].map(requestsPerSecond)),
        withSpread(results[name].map(microsecondsPerRequest)),
        ...groups.map(percent),
        significant(groups.reduce((sum, each) => sum + each, 0)),
      ];
    }),
  };
}

/** Computed round by round. */
function gain(two: readonly LoadResult[], one: readonly LoadResult[]): number[] {
  return two.map((result, round) => requestsPerSecond(result) / requestsPerSecond(one[round] ?? result));
}
