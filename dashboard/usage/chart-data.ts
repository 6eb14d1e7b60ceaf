/**
 * What the chart of usage shows: a column for each day or hour, split by one thing more. Values stay decimal strings; only the
 * heights of bars are floats.
 */
import { compareDecimals, sumDecimals } from '../app/money/decimal.ts';
import { othersId, partIdOf, partOf, type UsageGroup, type UsagePart } from './usage-groups.ts';
import { groupRows, type UsageRow } from './usage-rows.ts';

export const measures = ['spend', 'requests', 'tokens'] as const;
export type Measure = (typeof measures)[number];

export interface ChartColumn {
  /** The day, or the start of the hour. */
  readonly slot: string;
  readonly total: string;
  /** In the order of the series. */
  readonly parts: readonly string[];
}

export interface ChartData {
  /** What the series are. */
  readonly group: UsageGroup;
  /** The largest first. */
  readonly series: readonly UsagePart[];
  readonly columns: readonly ChartColumn[];
  /** The sum of each series over all columns. */
  readonly sums: readonly string[];
  readonly total: string;
}

/** As many as there are distinguishable colours. */
const seriesMax = 5;

interface ChartOptions {
  readonly rows: readonly UsageRow[];
  /** Every slot of the range, also those without usage. */
  readonly slots: readonly string[];
  readonly slotOf: (row: UsageRow) => string;
  readonly group: UsageGroup;
  readonly measure: Measure;
}

export function chartOf({ rows, slots, slotOf, group, measure }: ChartOptions): ChartData {
  const sumOf = (some: readonly UsageRow[] = []) => sumDecimals(some.map((row) => measured(row, measure)));
  const idOf = (row: UsageRow) => partIdOf(row, group);
  const groups = [...groupRows(rows, idOf).values()]
    .map((some) => ({ ...partOf(some[0], group), sum: sumOf(some) }))
    .sort((one, other) => compareDecimals(other.sum, one.sum));
  const own = groups.length > seriesMax + 1 ? groups.slice(0, seriesMax) : groups;
  const hasOthers = own.length < groups.length;
  const series = [
    ...own.map(({ id, name }) => ({ id, name })),
    ...(hasOthers ? [{ id: othersId, name: undefined }] : []),
  ];
  const ownIds = new Set(own.map(({ id }) => id));
  const seriesOf = (row: UsageRow) => (ownIds.has(idOf(row)) ? idOf(row) : othersId);
  const bySlot = groupRows(rows, slotOf);
  const columns = slots.map((slot) => {
    const bySeries = groupRows(bySlot.get(slot) ?? [], seriesOf);
    const parts = series.map(({ id }) => sumOf(bySeries.get(id)));
    return { slot, parts, total: sumDecimals(parts) };
  });
  const bySeries = groupRows(rows, seriesOf);
  return { group, series, columns, sums: series.map(({ id }) => sumOf(bySeries.get(id))), total: sumOf(rows) };
}

function measured({ cost, requests, promptTokens, completionTokens }: UsageRow, measure: Measure): string {
  if (measure === 'spend') return cost;
  return String(measure === 'requests' ? requests : promptTokens + completionTokens);
}

export interface Scale {
  /** What the height of the chart stands for. */
  readonly top: string;
  readonly middle: string;
}

/** The next round number above the highest column; its half is round as well. */
export function scaleOf(columns: readonly ChartColumn[], measure: Measure): Scale {
  const highest = columns.reduce((most, { total }) => (compareDecimals(total, most) > 0 ? total : most), '0');
  const steps = measure === 'spend' ? [1, 2, 4, 6, 8, 10] : [2, 4, 6, 8, 10];
  if (Number(highest) <= 0) return { top: '2', middle: '1' };
  const exponent = Math.floor(Math.log10(Number(highest)));
  const scales = steps.map((n) => ({ top: scaled(n * 10, exponent - 1), middle: scaled(n * 5, exponent - 1) }));
  return scales.find(({ top }) => compareDecimals(top, highest) >= 0) ?? { top: highest, middle: highest };
}

/** `count` times a power of ten, as a decimal string. */
function scaled(count: number, exponent: number): string {
  if (exponent >= 0) return `${count}${'0'.repeat(exponent)}`;
  const digits = String(count).padStart(1 - exponent, '0');
  return `${digits.slice(0, exponent)}.${digits.slice(exponent)}`;
}

/** For heights only. */
export const shareOf = (part: string, whole: string): number => Math.max(0, Number(part) / Number(whole)) * 100;
