/** The figures of bench/RESULTS.md that the simulation starts from, and those that it has to reproduce. */
import type { Costs } from './simulate.ts';

/** Of a row, by column. */
type Row = ReadonlyMap<string, number>;

interface Table {
  /** The header of the first column. */
  readonly corner: string;
  readonly rows: ReadonlyMap<string, Row>;
}

/** One measurement of whole responses through the gateway. */
export interface Measured {
  readonly name: string;
  readonly costs: Costs;
  readonly perSecond: number;
  /** Undefined where the report has none. */
  readonly p50Ms?: number;
  readonly p99Ms?: number;
  /** Shares of a core. */
  readonly proxyBusy: number;
  readonly otherBusy: number;
}

export interface BenchFigures {
  /** 64 connections; the proxy has one core, everything else another one. */
  readonly closed: Measured;
  /** The same at a rate, the lower one first. */
  readonly open: readonly (Measured & { readonly rate: number; readonly wakeUs: number })[];
  readonly oneOnOneCore: Measured;
  readonly twoOnTwoCores: Measured;
  readonly ledger: { readonly perSecond: number; readonly adminUs: number };
  readonly chunkUs: number;
  /** The largest share of its core that any contender had. */
  readonly shareMax: number;
  readonly streams: { readonly startedMb: number; readonly kbPerStream: number; readonly kbPerLongStream: number };
}

export function readFigures(markdown: string): BenchFigures {
  const whole = tablesOf(markdown, 'Whole answers');
  const [main, others] = [tableAt(whole, 0), tableAt(whole, 1)];
  const gateway = rowOf(main, 'gateway');
  const other = rowOf(others, 'gateway');
  const costs: Costs = {
    proxy: figureOf(gateway, 'CPU µs per request'),
    load: figureOf(other, 'load'),
    upstream: figureOf(other, 'upstream'),
    redis: figureOf(other, 'redis'),
    admin: figureOf(other, 'admin'),
    postgres: figureOf(other, 'postgres'),
  };
  const closed: Measured = {
    name: '64 connections',
    costs,
    perSecond: figureOf(gateway, 'requests/s'),
    p50Ms: figureOf(gateway, 'p50 ms'),
    p99Ms: figureOf(gateway, 'p99 ms'),
    proxyBusy: figureOf(gateway, 'core in use') / 100,
    otherBusy: figureOf(other, 'core in use') / 100,
  };
  const replicas = tableAt(tablesOf(markdown, 'Two replicas'), 0);
  const ledger = rowOf(tableAt(tablesOf(markdown, 'Charges into the ledger'), 0), 'one admin');
  return {
    closed,
    shareMax: Math.max(...[...main.rows.values()].map((row) => figureOf(row, 'core in use') / 100)),
    open: tablesOf(markdown, 'CPU time of a request at the same rate').map((table) => atRate(table, costs)),
    oneOnOneCore: ofReplicas(replicas, 'one replica and everything else on one core'),
    twoOnTwoCores: ofReplicas(replicas, 'two replicas and everything else on two cores'),
    ledger: { perSecond: figureOf(ledger, 'charges/s'), adminUs: figureOf(ledger, 'admin CPU µs per charge') },
    ...readStreams(markdown),
  };
}

function readStreams(markdown: string): Pick<BenchFigures, 'chunkUs' | 'streams'> {
  const tables = tablesOf(markdown, 'Many open streams');
  const named = (text: string) => {
    const table = tables.find(({ corner }) => corner.startsWith(text));
    if (table === undefined) throw new Error(`the report has no table ${text}`);
    return rowOf(table, 'gateway');
  };
  const many = named('5,000 streams');
  return {
    chunkUs: figureOf(many, 'CPU µs per chunk'),
    streams: {
      startedMb: figureOf(many, 'MB started'),
      kbPerStream: figureOf(many, 'KB per stream'),
      kbPerLongStream: figureOf(named('500 streams with prompts of 100 KB'), 'KB per stream'),
    },
  };
}

/**
 * At a rate, the report has the time of the other core as a whole. What the load generator and the upstream take of it is
 * known from the measurement without a gateway; the rest is divided as it is in the closed loop.
 */
function atRate(table: Table, closed: Costs) {
  const [gateway, direct] = [rowOf(table, 'gateway'), rowOf(table, 'upstream')];
  const perSecond = figureOf(gateway, 'answered per second');
  const load = microsecondsOf(direct, 'other core in use');
  const upstream = figureOf(direct, 'CPU µs per request');
  const stores = Math.max(0, microsecondsOf(gateway, 'other core in use') - load - upstream);
  const share = (us: number) => (stores * us) / (closed.redis + closed.admin + closed.postgres);
  const [redis, admin, postgres] = [share(closed.redis), share(closed.admin), share(closed.postgres)];
  return {
    name: table.corner,
    rate: numberIn(table.corner),
    costs: { load, upstream, redis, admin, postgres, proxy: figureOf(gateway, 'CPU µs per request') },
    perSecond,
    p50Ms: figureOf(gateway, 'p50 ms'),
    p99Ms: figureOf(gateway, 'p99 ms'),
    proxyBusy: figureOf(gateway, 'core in use') / 100,
    otherBusy: figureOf(gateway, 'other core in use') / 100,
    // Without a gateway, a request wakes the load generator twice and the upstream once.
    wakeUs: Math.max(0, figureOf(direct, 'p50 ms') * 1_000 - load - upstream) / 3,
  };
}

function microsecondsOf(row: Row, share: string): number {
  return ((figureOf(row, share) / 100) * 1e6) / figureOf(row, 'answered per second');
}

function ofReplicas(table: Table, name: string): Measured {
  const row = rowOf(table, name);
  const perSecond = figureOf(row, 'requests/s');
  const us = (part: string) => ((figureOf(row, part) / 100) * 1e6) / perSecond;
  const others = ['load', 'upstream', 'redis', 'admin', 'postgres'] as const;
  return {
    name,
    costs: {
      proxy: figureOf(row, 'replicas’ CPU µs per request'),
      ...(Object.fromEntries(others.map((part) => [part, us(part)])) as Omit<Costs, 'proxy'>),
    },
    perSecond,
    proxyBusy: figureOf(row, 'replicas') / 100,
    otherBusy: others.reduce((sum, part) => sum + figureOf(row, part) / 100, 0),
  };
}

/** The tables under a heading. */
export function tablesOf(markdown: string, heading: string): Table[] {
  const section = markdown.split(/^## /m).find((text) => text.startsWith(`${heading}\n`));
  if (section === undefined) throw new Error(`the report has no section ${heading}`);
  return [...section.matchAll(/(?:^\|.*\n)+/gm)].map(([text]) => {
    const [header = [], , ...lines] = text.trimEnd().split('\n').map(cellsOf);
    const [corner = '', ...columns] = header;
    const rows = lines.map(([name = '', ...cells]) => {
      return [name, new Map(columns.map((column, at) => [column, numberIn(cells[at] ?? '')]))] as const;
    });
    return { corner, rows: new Map(rows) };
  });
}

function cellsOf(line: string): string[] {
  return line
    .slice(1, -1)
    .split('|')
    .map((cell) => cell.trim());
}

/** The first number of a cell, which is the median; NaN if there is none. */
function numberIn(cell: string): number {
  return Number(/-?[\d,]+(?:\.\d+)?/.exec(cell)?.[0].replaceAll(',', '') ?? Number.NaN);
}

function tableAt(tables: readonly Table[], index: number): Table {
  const table = tables[index];
  if (table === undefined) throw new Error('the report lacks a table');
  return table;
}

function rowOf({ rows, corner }: Table, name: string): Row {
  const row = rows.get(name);
  if (row === undefined) throw new Error(`the report's table ${corner} has no row ${name}`);
  return row;
}

function figureOf(row: Row, column: string): number {
  const value = row.get(column);
  if (value === undefined || Number.isNaN(value)) throw new Error(`the report has no figure ${column}`);
  return value;
}
