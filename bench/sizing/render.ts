/** The tables of docs/sizing.md, which `bun run simulate:sizing --write` puts between its markers. */
import { percent, significant } from '../report/format.ts';
import { busyMax, limitsOf, planRequests, planStreams } from './plan.ts';
import type { BenchFigures } from './read-results.ts';
import { type Comparison, deviationMax, deviationOf, reproduce } from './reproduce.ts';

const seed = 20_261_123;
const rates = [1_000, 10_000, 100_000];
const streamCounts = [10_000, 100_000];
/** Between them the tables are. */
export const markers = { begin: '<!-- tables: bun run simulate:sizing --write -->', end: '<!-- end of tables -->' };

export interface Sizing {
  readonly comparisons: readonly Comparison[];
  /** Figures of the bench that the simulation does not reproduce; what it extrapolates is worth nothing then. */
  readonly failures: readonly Comparison[];
  readonly tables: string;
}

export function size(figures: BenchFigures): Sizing {
  const comparisons = reproduce(figures, seed);
  const failures = comparisons.filter((each) => each.isChecked && !(Math.abs(deviationOf(each)) <= deviationMax));
  const sections = [
    requestsTable(figures),
    streamsTable(figures),
    limitsTable(figures),
    renderComparisons(comparisons),
  ];
  return { comparisons, failures, tables: sections.join('\n\n') };
}

/** The document with other tables. */
export function replaceTables(document: string, tables: string): string {
  const [before, rest] = document.split(markers.begin);
  const [, after] = rest?.split(markers.end) ?? [];
  if (before === undefined || after === undefined) throw new Error('the document has no markers for tables');
  return `${before}${markers.begin}\n\n${tables}\n\n${markers.end}${after}`;
}

export function renderComparisons(comparisons: readonly Comparison[]): string {
  const rows = comparisons.map((each) => [
    each.figure,
    significant(each.measured),
    significant(each.simulated),
    `${each.isChecked ? '' : 'not checked: '}${signed(deviationOf(each))}`,
  ]);
  return `## What the simulation reproduces\n\n${table(['', 'measured', 'simulated', 'difference'], rows)}`;
}

function requestsTable(figures: BenchFigures): string {
  const rows = rates.map((rate) => {
    const { proxies, redisServers, admins, busy, simulated } = planRequests(figures, rate, seed);
    return [
      rate.toLocaleString('en'),
      `${proxies}, ${percent(busy.proxy)} each`,
      redisServers === 1 ? `1, ${percent(busy.redis)}` : `a cluster of ${redisServers}, ${percent(busy.redis)} each`,
      `${admins}, ${percent(busy.admin)} each`,
      significant(busy.postgres * admins),
      significant(simulated.p50Ms),
      significant(simulated.p99Ms),
      `${significant(simulated.bookedAfterMsMax / 1_000)} s`,
    ];
  });
  const header = [
    'requests/s',
    'proxies, core in use',
    'Redis, core in use',
    'admins, core in use',
    'cores of Postgres',
    'added p50, ms',
    'added p99, ms',
    'in the ledger after',
  ];
  return `## Requests\n\n${table(header, rows)}`;
}

function streamsTable(figures: BenchFigures): string {
  const rows = streamCounts.map((streams) => {
    const plan = planStreams(figures, streams);
    return [
      streams.toLocaleString('en'),
      plan.chunksPerSecond.toLocaleString('en'),
      significant(plan.cores),
      String(plan.proxies),
      `${significant(plan.gigabytesEach)} GB`,
      `${significant(plan.gigabytesEachLong)} GB`,
      `${Math.round(plan.renewalsPerSecond).toLocaleString('en')}/s, ${percent(plan.redisBusy)} of a core`,
    ];
  });
  const header = [
    'open streams',
    'chunks/s',
    'cores in use',
    'proxies',
    'memory of each',
    'with prompts of 100 KB',
    'renewals in Redis',
  ];
  return `## Open streams\n\n${table(header, rows)}`;
}

function limitsTable(figures: BenchFigures): string {
  const limits = limitsOf(figures);
  const atOnce = (perSecond: number) => `${(Math.round(perSecond / 100) * 100).toLocaleString('en')} requests/s`;
  const rows = [
    ['a proxy', atOnce(limits.proxy), 'another proxy'],
    ['Redis', atOnce(limits.redis), 'Redis Cluster, which spreads the accounts'],
    ['admin', atOnce(limits.admin), 'another admin: each books the shards that it has locked'],
    ['Postgres', atOnce(limits.postgres), 'a second core: admins book in four concurrent transactions'],
  ];
  return `## Where one is not enough\n\n${table([`at ${percent(busyMax)} of a core`, 'takes', 'beyond that'], rows)}`;
}

function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(header), line(header.map((_, at) => (at === 0 ? '---' : '---:'))), ...rows.map(line)].join('\n');
}

function signed(share: number): string {
  return `${share >= 0 ? '+' : '−'}${percent(Math.abs(share))}`;
}
