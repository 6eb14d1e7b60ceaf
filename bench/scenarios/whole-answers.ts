/** Small whole answers, as fast as possible: what a request costs. */

import { chatBody } from '../load/bodies.ts';
import type { LoadResult } from '../load/job.ts';
import { alternate, type Series } from '../measure/alternate.ts';
import { percent, significant, withSpread } from '../report/format.ts';
import type { Section, Target } from '../report/section.ts';
import type { Stage } from '../stage.ts';
import { failureNotices } from './failures.ts';
import {
  load,
  medianBy,
  microsecondsPerRequest,
  otherGroups,
  othersLoad,
  perPiece,
  ratios,
  requestsPerSecond,
} from './figures.ts';
import { atLeast, atMost, limits } from './targets.ts';

const connections = 64;

export async function wholeAnswers(stage: Stage): Promise<Section> {
  const mode = { kind: 'closed', connections } as const;
  const series = await alternate(stage, stage.contenders, { body: chatBody('whole'), mode });
  const compared = comparison(series);
  return {
    id: 'json',
    title: 'Whole answers',
    method:
      `${connections} connections, each with one request under way, as fast as they go; an answer of 700 bytes. ` +
      'The CPU time of a request counts user and system time of all threads of the contender. Where the contender ' +
      'does not fill its core, its throughput is that of the others’ core (upstream, load generator, Redis, ledger), ' +
      'and the CPU time is the figure to look at. “A full core would do” is derived, not measured: one second divided by ' +
      'the CPU time of a request, so many as the contender’s own core has room for. A request costs less on a core that ' +
      'is full of them than on one that is half idle, so the ratio to bare Bun is also measured ' +
      '[at the same rate](#the-cpu-time-of-a-request-at-the-same-rate).',
    ...compared,
    notices: [...compared.notices, ...byCpuOfPortkey(series)],
    targets: targetsOf(series),
    figures: series,
  };
}

function targetsOf(series: readonly Series[]): Target[] {
  const [gateway, bare, portkey] = ['gateway', 'bare Bun', 'Portkey'].map((name) => named(series, name));
  if (gateway === undefined) return [];
  const cpu = ratios(gateway, bare, microsecondsPerRequest);
  const ofBare = ratios(gateway, bare, requestsPerSecond);
  const ofPortkey = ratios(gateway, portkey, requestsPerSecond);
  const own = percent(medianBy(gateway, (result) => load(result, 'contender')));
  const remark = `its core is in use to ${own}, the others’ to ${percent(medianBy(gateway, othersLoad))}`;
  return [
    ...atLeast({
      figure: 'whole answers a second, of bare Bun’s',
      values: ofBare,
      limit: limits.throughputOfBare,
      remark,
    }),
    ...atLeast({
      figure: 'whole answers a second, of Portkey’s',
      values: ofPortkey,
      limit: limits.throughputOfPortkey,
      remark,
    }),
    ...atMost({
      figure: 'CPU time of a whole answer, as fast as they go, of bare Bun’s',
      values: cpu,
      limit: limits.cpuPerRequestOfBare,
    }),
  ];
}

/** The other core limits the gateway's throughput and not Portkey's, so that theirs cannot be compared. */
function byCpuOfPortkey(series: readonly Series[]): string[] {
  const [gateway, portkey] = [named(series, 'gateway'), named(series, 'Portkey')];
  const ratio = portkey && ratios(portkey, gateway, microsecondsPerRequest);
  if (ratio === undefined) return [];
  return [
    `Derived: a request costs Portkey ${withSpread(ratio)} times the CPU time that it costs the gateway’s own process. ` +
      'What the gateway costs elsewhere, where Portkey keeps no money, is in the second table.',
  ];
}

/** Also of other closed loops of whole answers. */
export function comparison(series: readonly Series[]): Pick<Section, 'tables' | 'notices' | 'charts'> {
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
  const cpu = 'CPU µs a request';
  const derived = 'a full core would do (derived)';
  return {
    tables: [
      {
        columns: ['', 'requests/s', cpu, 'of bare Bun’s', derived, 'core in use', 'p50 ms', 'p99 ms'],
        rows,
      },
      othersTable(series),
    ],
    notices: failureNotices(series),
    charts: [
      { kind: 'bars', title: 'Requests a second, whole answers', bars: bars(requestsPerSecond) },
      { kind: 'bars', title: 'CPU microseconds a request', bars: bars(microsecondsPerRequest) },
    ],
  };
}

const fullCoreWouldDo = (result: LoadResult) => 1e6 / microsecondsPerRequest(result);

const named = (series: readonly Series[], name: string) => series.find(({ contender }) => contender.name === name);

/** What the other core did meanwhile: the limits of the measurement itself, and what the gateway costs elsewhere. */
function othersTable(series: readonly Series[]) {
  return {
    columns: ['CPU µs a request on the other core', ...otherGroups, 'core in use'],
    rows: series.map((each) => [
      each.contender.name,
      ...otherGroups.map((group) =>
        Math.round(medianBy(each, (result) => perPiece(result, group, result.requests))).toString(),
      ),
      percent(medianBy(each, othersLoad)),
    ]),
  };
}
