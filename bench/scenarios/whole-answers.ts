/** Small whole answers, as fast as possible: what a request costs. */

import { chatBody } from '../load/bodies.ts';
import { alternate, type Series } from '../measure/alternate.ts';
import { percent, withSpread } from '../report/format.ts';
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
  return {
    id: 'json',
    title: 'Whole answers',
    method:
      `${connections} connections, each with one request under way, as fast as they go; an answer of 700 bytes. ` +
      'The CPU time of a request counts user and system time of all threads of the contender. Where the contender ' +
      'does not fill its core, its throughput is that of the others’ core (upstream, load generator, Redis, ledger), ' +
      'and the CPU time is the figure to look at.',
    ...comparison(series),
    targets: targetsOf(series),
    figures: series,
  };
}

function targetsOf(series: readonly Series[]): Target[] {
  const [gateway, bare, portkey] = ['gateway', 'bare Bun', 'Portkey'].map((name) =>
    series.find(({ contender }) => contender.name === name),
  );
  if (gateway === undefined) return [];
  const cpu = ratios(gateway, bare, microsecondsPerRequest);
  const ofBare = ratios(gateway, bare, requestsPerSecond);
  const ofPortkey = ratios(gateway, portkey, requestsPerSecond);
  const own = percent(medianBy(gateway, (result) => load(result, 'contender')));
  const remark = `its core is in use to ${own}, the others’ to ${percent(medianBy(gateway, othersLoad))}`;
  return [
    ...atMost({ figure: 'CPU time of a whole answer, of bare Bun’s', values: cpu, limit: limits.cpuPerRequestOfBare }),
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
  ];
}

/** Also of other closed loops of whole answers. */
export function comparison(series: readonly Series[]): Pick<Section, 'tables' | 'notices' | 'charts'> {
  const bare = series.find(({ contender }) => contender.name === 'bare Bun');
  const rows = series.map((each) => {
    const slower = ratios(each, bare, microsecondsPerRequest);
    return [
      each.contender.name,
      withSpread(each.results.map(requestsPerSecond)),
      withSpread(each.results.map(microsecondsPerRequest)),
      slower === undefined ? '' : withSpread(slower),
      percent(medianBy(each, (result) => load(result, 'contender'))),
      withSpread(each.results.map(({ latency }) => latency.p50 / 1_000)),
      withSpread(each.results.map(({ latency }) => latency.p99 / 1_000)),
    ];
  });
  const bars = (figure: typeof requestsPerSecond) =>
    series.map((each) => ({ name: each.contender.name, value: medianBy(each, figure) }));
  return {
    tables: [
      {
        columns: ['', 'requests/s', 'CPU µs a request', 'of bare Bun’s', 'core in use', 'p50 ms', 'p99 ms'],
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
