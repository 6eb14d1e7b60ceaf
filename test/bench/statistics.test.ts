/** Statistics of several rounds. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { Histogram } from '../../bench/measure/histogram.ts';
import { medianOf, spreadOf } from '../../bench/measure/statistics.ts';

describe('the spread of rounds', () => {
  test('has the middle round as median if their number is odd', () => {
    expect(spreadOf([30, 10, 20])).toEqual({ median: 20, min: 10, max: 30 });
  });

  test('has a median between the two middle rounds if their number is even', () => {
    expect(medianOf([1, 2, 4, 100])).toBe(3);
  });

  test('is not moved in its median by one slow round', () => {
    expect(medianOf([10, 11, 12, 13, 9_000])).toBe(12);
  });

  test('has no median without rounds', () => {
    expect(() => medianOf([])).toThrow('no rounds');
  });
});

describe('a histogram', () => {
  test('has every percentile within 1 % of the exact one', () => {
    const durations = fc.array(fc.integer({ min: 0, max: 600_000_000 }), { minLength: 1, maxLength: 300 });
    fc.assert(
      fc.property(durations, fc.integer({ min: 1, max: 100 }), (values, percent) => {
        const histogram = new Histogram();
        for (const value of values) histogram.record(value);
        const sorted = values.toSorted((a, b) => a - b);
        const exact = sorted[Math.max(1, Math.ceil((percent / 100) * sorted.length)) - 1] ?? 0;
        const found = histogram.percentile(percent);
        expect(Math.abs(found - exact)).toBeLessThanOrEqual(exact * 0.01);
      }),
    );
  });

  test('is exact for short durations', () => {
    const histogram = new Histogram();
    for (let value = 1; value <= 100; value += 1) histogram.record(value);
    expect(histogram.summary()).toEqual({ count: 100, p50: 50, p90: 90, p99: 99, max: 100 });
  });

  test('is zero everywhere if nothing was recorded', () => {
    expect(new Histogram().summary()).toEqual({ count: 0, p50: 0, p90: 0, p99: 0, max: 0 });
  });
});
