/** Small whole responses in a closed loop: the cost of a request. */
import { chatBody } from '../load/bodies.ts';
import type { LoadResult } from '../load/job.ts';
import { alternate, type Series } from '../measure/alternate.ts';
import { percent, significant, withSpread } from '../report/format.ts';
import type { Section, Target } from '../report/section.ts';
import type { Stage } from '../stage/stage.ts';
import { failureNotices } from './failures.ts';
import {
  load,
  medianBy,
  microsecondsInAll,
  microsecondsPer,
  microsecondsPerRequest,
  otherGroups,
  othersLoad,
  ratios,
  requestsPerSecond,
} from './figures.ts';
import { atMost, limits } from './targets.ts';

export const connections = 64;

export async function wholeResponses(stage: Stage): Promise<Section> {
  const mode = { kind: 'closed', connections } as const;
  const series = await alternate(stage, stage.contenders, { body: chatBody('whole'), mode });
  const compared = comparison(series);
  return {
    id: 'json',
    title: 'Whole answers',
    method:
      `${connections} connections, each with one request in flight, in a closed loop; a response has 700 bytes. The ` +
      'CPU time of a request is the user and system time of all threads of the contender. If the contender does not ' +
      'saturate its core, its throughput is limited by the other core (upstream, load generator, Redis, ledger), ' +
      'and CPU time is the figure that counts. “Requests/s on a full core” is derived, not measured: one second ' +
      'divided by the CPU time of a request. A request costs less on a saturated core than on one that is half ' +
      'idle, so the ratio to bare Bun is also measured [at the same rate](#cpu-time-of-a-request-at-the-same-rate).',
    ...compared,
    notices: [...compared.notices, ...byCpuOfPortkey(series)],
    targets: targetsOf(series),
    figures: series,
  };
}

function targetsOf(series: readonly Series[]): Target[] {
  const gateway = named(series, 'gateway');
  if (gateway === undefined) return [];
  return [
    ...atMost({
      figure: 'CPU time of a whole answer, closed loop, relative to bare Bun’s',
      values: ratios(gateway, named(series, 'bare Bun'), microsecondsPerRequest),
      limit: limits.cpuPerRequestOfBare,
    }),
    ...atMost({
      figure: 'CPU of a whole answer in proxy, Redis, admin and Postgres together, closed loop, µs',
      values: gateway.results.map(microsecondsInAll),
      limit: limits.allMicrosecondsPerRequest,
    }),
  ];
}

/** The other core limits the gateway's throughput and not Portkey's, so their throughputs cannot be compared. */
function byCpuOfPortkey(series: readonly Series[]): string[] {
  const [gateway, portkey] = [named(series, 'gateway'), named(series, 'Portkey')];
  const ratio = portkey && ratios(portkey, gateway, microsecondsPerRequest);
  if (ratio === undefined) return [];
  return [
    `Derived: a request costs Portkey ${withSpread(ratio)} times the CPU time of the gateway’s own process. ` +
      'The gateway’s cost in other processes, which Portkey does not have, is in the second table.',
  ];
}

/** Also used by other closed loops of whole responses. */
export function comparison(
  series: readonly Series[],
  others = 'on the other core',
): Pick<Section, 'tables' | 'notices' | 'charts'> {
  const bare = named(series, 'bare Bun');
  const rows = series.map((each) => {
    const slower = ratios(each, bare, microsecondsPerRequest);
    return [
      each.contender.name,
      withSpread(each.results.map(requestsPerSecond)),
      withSpread(each.results.map(microsecondsPerRequest)),
      slower === undefined ? '' : withSpread(slower),
      significant(medianBy(each, fullCoreWouldDo)),
      percent(medianBy(each, (result) => load(result, 'contender'))),
      withSpread(each.results.map(({ latency }) => latency.p50 / 1_000)),
      withSpread(each.results.map(({ latency }) => latency.p99 / 1_000)),
    ];
  });
  const bars = (figure: typeof requestsPerSecond) =>
    series.map((each) => ({ name: each.contender.name, value: medianBy(each, figure) }));
  const cpu = 'CPU µs per request';
  const derived = 'requests/s on a full core (derived)';
  return {
    tables: [
      {
        columns: ['', 'requests/s', cpu, 'vs. bare Bun', derived, 'core in use', 'p50 ms', 'p99 ms'],
        rows,
      },
      othersTable(series, others),
    ],
    notices: failureNotices(series),
    charts: [
      { kind: 'bars', title: 'Requests per second, whole answers', bars: bars(requestsPerSecond) },
      { kind: 'bars', title: 'CPU microseconds per request', bars: bars(microsecondsPerRequest) },
    ],
  };
}

const fullCoreWouldDo = (result: LoadResult) => 1e6 / microsecondsPerRequest(result);

export const named = (series: readonly Series[], name: string) =>
  series.find(({ contender }) => contender.name === name);

/** Usage of the other core: the limits of the measurement itself, and the gateway's cost in other processes. */
function othersTable(series: readonly Series[], others: string) {
  return {
    columns: [`CPU µs per request ${others}`, ...otherGroups, 'core in use'],
    rows: series.map((each) => [
      each.contender.name,
      ...otherGroups.map((group) =>
        Math.round(medianBy(each, (result) => microsecondsPer(result, group, result.requests))).toString(),
      ),
      percent(medianBy(each, othersLoad)),
    ]),
  };
}
