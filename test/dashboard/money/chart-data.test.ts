/** The data of the usage chart: columns and legend always add up to the whole. */
import { describe, expect, test } from 'bun:test';
import { sumDecimals } from '../../../dashboard/app/money/decimal.ts';
import { chartOf, scaleOf } from '../../../dashboard/usage/chart-data.ts';
import { othersId } from '../../../dashboard/usage/usage-groups.ts';
import type { UsageRow } from '../../../dashboard/usage/usage-rows.ts';
import { noUnits } from '../../../shared/usage/billable-units.ts';

const row = (day: string, model: string, cost: string): UsageRow => ({
  ...noUnits,
  day,
  model,
  cost,
  requests: 2,
  promptTokens: 3,
  completionTokens: 4,
});
const days = ['2030-01-01', '2030-01-02', '2030-01-03'];
const models = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
const rows = models.flatMap((model, index) => [
  row('2030-01-01', model, `0.00000000${index + 1}`),
  row('2030-01-03', model, `${index}.1`),
]);
const chart = (measure: 'spend' | 'requests' | 'tokens', of = rows) =>
  chartOf({ rows: of, slots: days, slotOf: ({ day = '' }) => day, group: 'model', measure });

describe('the chart of usage', () => {
  test.each(['spend', 'requests', 'tokens'] as const)('adds up by column and by series for %s', (measure) => {
    const { columns, series, sums, total } = chart(measure);
    expect(sumDecimals(columns.map((column) => column.total))).toBe(total);
    expect(sumDecimals(sums)).toBe(total);
    for (const [index] of series.entries()) {
      expect(sumDecimals(columns.map(({ parts }) => parts[index] ?? ''))).toBe(sums[index] ?? '');
    }
  });

  test('has a column for a day without usage', () => {
    expect(chart('spend').columns.map(({ slot, total }) => [slot, total])).toEqual([
      ['2030-01-01', '0.000000036'],
      ['2030-01-02', '0'],
      ['2030-01-03', '28.8'],
    ]);
  });

  test('shows the largest models and adds up the others', () => {
    expect(chart('spend').series.map(({ id }) => id)).toEqual(['h', 'g', 'f', 'e', 'd', othersId]);
  });

  test('has no “others” for a single model', () => {
    const six = rows.filter(({ model = '' }) => model < 'g');
    expect(chart('spend', six).series.map(({ id }) => id)).toEqual(['f', 'e', 'd', 'c', 'b', 'a']);
  });

  test.each([
    ['0.000000003', '0.000000004', '0.000000002'],
    ['0.1', '0.10', '0.05'],
    ['7', '8', '4'],
    ['1234.5', '2000', '1000'],
    ['0', '2', '1'],
  ])('has a round scale above a spend of %s', (highest, top, middle) => {
    const scale = scaleOf([{ slot: '', total: highest, parts: [] }], 'spend');
    expect([Number(scale.top), Number(scale.middle)]).toEqual([Number(top), Number(middle)]);
  });

  test('has whole numbers on a scale of requests', () => {
    const scale = scaleOf([{ slot: '', total: '1', parts: [] }], 'requests');
    expect([Number(scale.top), Number(scale.middle)]).toEqual([2, 1]);
  });
});
