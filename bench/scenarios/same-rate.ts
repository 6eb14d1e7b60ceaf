/**
 * The cost of a request at the same rate for all contenders. In a closed loop, one contender saturates its core while
 * another waits half of the time for others: its caches are cold and it is woken up for every request.
 */
import type { Contender, RunningContender } from '../contenders/contender.ts';
import { chatBody } from '../load/bodies.ts';
import type { LoadResult } from '../load/job.ts';
import { measure, type Series, startAll } from '../measure/alternate.ts';
import { percent, withSpread } from '../report/format.ts';
import type { Section, Table, Target } from '../report/section.ts';
import type { Stage } from '../stage/stage.ts';
import { failureNotices } from './failures.ts';
import { load, medianBy, microsecondsPerRequest, othersLoad, ratios, requestsPerSecond } from './figures.ts';
import { measureCapacities } from './measure-capacities.ts';
import { bearableRates, bearableShare, lowerRate, upperRate } from './rates.ts';
import { atMost, limits } from './targets.ts';

const body = chatBody('whole');
const warmUpMs = 500;
/** CPU time is counted in hundredths of a second, so fewer requests would be too imprecise. */
const requestsMin = 3_000;

interface Taking {
  readonly contender: Contender;
  readonly running: RunningContender;
  readonly capacity: number;
}

interface AtRate {
  readonly rate: number;
  readonly series: Series[];
  /** Contenders that cannot reach the rate. */
  readonly leftOut: readonly Taking[];
}

export async function sameRate(stage: Stage): Promise<Section> {
  const all = await measureAll(stage);
  return {
    id: 'rate',
    title: 'CPU time of a request at the same rate',
    method:
      'Open loop as under “Added latency”, with every contender at the same number of requests per second, in turn. ' +
      'In a closed loop, bare Bun saturates its core while the gateway’s is half idle, waiting for the other core; ' +
      'a process that waits has cold caches and must be woken up for each request, so each request costs more. Here ' +
      `both wait. The higher rate is ${upperRate.toLocaleString('en')} or, if that is less, ` +
      `${percent(bearableShare)} of the gateway’s throughput in a closed loop just before; the lower rate is ` +
      `${lowerRate} or that share of the slowest contender. Each measurement takes at least ` +
      `${requestsMin.toLocaleString('en')} requests. Latency includes the upstream’s.`,
    tables: all.map(tableOf),
    notices: all.flatMap(({ rate, series, leftOut }) => [
      ...leftOut.map(
        ({ contender, capacity }) =>
          `${contender.name} is left out at ${written(rate)}: it reached ${written(capacity)} in a closed loop.`,
      ),
      ...failureNotices(series),
    ]),
    targets: targetsOf(all),
    figures: all.map(({ rate, series }) => ({ rate, series })),
  };
}

async function measureAll(stage: Stage): Promise<AtRate[]> {
  const started = await startAll(stage, stage.contenders);
  try {
    const capacities = await measureCapacities(stage, started);
    const taking: Taking[] = started.map((each, index) => ({ ...each, capacity: capacities[index]?.capacity ?? 0 }));
    const rates = bearableRates(capacities).map(({ rate, names }) => ({
      rate,
      taking: taking.filter(({ contender }) => names.includes(contender.name)),
      results: new Map<Contender, LoadResult[]>(),
    }));
    for (let round = 1; round <= stage.rounds; round += 1) {
      for (const { rate, taking: takingPart, results } of rates) {
        for (const { contender, running } of takingPart) {
          results.set(contender, [...(results.get(contender) ?? []), await measureAt(stage, running, rate)]);
        }
      }
    }
    return rates.map(({ rate, taking: takingPart, results }) => ({
      rate,
      series: [...results].map(([contender, each]) => ({ contender, results: each })),
      leftOut: taking.filter((each) => !takingPart.includes(each)),
    }));
  } finally {
    await Promise.all(started.map(({ running }) => running.stop()));
  }
}

function measureAt(stage: Stage, running: RunningContender, rate: number): Promise<LoadResult> {
  const usualMs = stage.seconds * 1_000;
  const measureMs = stage.quick ? usualMs : Math.max(usualMs, (requestsMin / rate) * 1_000);
  return measure(stage, running, { body, mode: { kind: 'open', perSecond: rate }, warmUpMs, measureMs });
}

function tableOf({ rate, series }: AtRate): Table {
  const bare = named(series, 'bare Bun');
  const figures = ['answered per second', 'CPU µs per request', 'vs. bare Bun', 'core in use', 'other core in use'];
  return {
    columns: [`${written(rate)} requests/s`, ...figures, 'p50 ms', 'p99 ms'],
    rows: series.map((each) => {
      const slower = ratios(each, bare, microsecondsPerRequest);
      return [
        each.contender.name,
        written(medianBy(each, requestsPerSecond)),
        withSpread(each.results.map(microsecondsPerRequest)),
        slower === undefined ? '' : withSpread(slower),
        percent(medianBy(each, (result) => load(result, 'contender'))),
        percent(medianBy(each, othersLoad)),
        withSpread(each.results.map(({ latency }) => latency.p50 / 1_000)),
        withSpread(each.results.map(({ latency }) => latency.p99 / 1_000)),
      ];
    }),
  };
}

/** CPU time at the highest rate, where a core has the least time to cool down; latency at the lowest, which all reach. */
function targetsOf(all: readonly AtRate[]): Target[] {
  const [lowest, highest] = [all[0], all.at(-1)];
  if (lowest === undefined || highest === undefined) return [];
  return [
    ...atMost({
      figure: `CPU time of a whole answer at the same rate (${written(highest.rate)}/s), relative to bare Bun’s`,
      values: ofGateway(highest, 'bare Bun', microsecondsPerRequest),
      limit: limits.cpuPerRequestOfBare,
    }),
    ...atMost({
      figure: `p99 at the same rate (${written(lowest.rate)}/s), relative to Portkey’s`,
      values: ofGateway(lowest, 'Portkey', ({ latency }) => latency.p99),
      limit: limits.p99OfPortkey,
    }),
  ];
}

function ofGateway({ series }: AtRate, other: string, figure: (result: LoadResult) => number): number[] | undefined {
  const gateway = named(series, 'gateway');
  return gateway && ratios(gateway, named(series, other), figure);
}

const named = (series: readonly Series[], name: string) => series.find(({ contender }) => contender.name === name);
const written = (value: number) => Math.round(value).toLocaleString('en');
