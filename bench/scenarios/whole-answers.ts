/** Small whole answers, as fast as possible: what a request costs. */
import { alternate, type Series } from '../measure/alternate.ts';
import { percent, withSpread } from '../report/format.ts';
import type { Section } from '../report/section.ts';
import type { Stage } from '../stage.ts';
import { chatBody } from './bodies.ts';
import { failureNotices } from './failures.ts';
import { load, medianBy, microsecondsPerRequest, perPiece, ratios, requestsPerSecond } from './figures.ts';

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
    figures: series,
  };
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
  const groups = ['load', 'upstream', 'redis', 'admin', 'postgres'];
  return {
    columns: ['CPU µs a request on the other core', ...groups, 'core in use'],
    rows: series.map((each) => [
      each.contender.name,
      ...groups.map((group) =>
        Math.round(medianBy(each, (result) => perPiece(result, group, result.requests))).toString(),
      ),
      percent(medianBy(each, (result) => groups.reduce((sum, group) => sum + load(result, group), 0))),
    ]),
  };
}
