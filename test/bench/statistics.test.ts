/** Statistics of several rounds. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { Histogram } from '../../bench/measure/histogram.ts';
import { medianOf, spreadOf } from '../../bench/measure/statistics.ts';

describe('spread', () => {
  test('the median of an odd number of rounds is the middle one', () => {
    expect(spreadOf([30, 10, 20])).toEqual({ median: 20, min: 10, max: 30 });
  });

  test('the median of an even number of rounds is between the two in the middle', () => {
    expect(medianOf([1, 2, 4, 100])).toBe(3);
  });

  test('one slow round does not move the median', () => {
    expect(medianOf([10, 11, 12, 13, 9_000])).toBe(12);
  });

  test('no rounds have no median', () => {
    expect(() => medianOf([])).toThrow('no rounds');
  });
});

describe('histogram', () => {
  test('every percentile is within 1 % of the exact one', () => {
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

  test('short durations are exact', () => {
    const histogram = new Histogram();
    for (let value = 1; value <= 100; value += 1) histogram.record(value);
    expect(histogram.summary()).toEqual({ count: 100, p50: 50, p90: 90, p99: 99, max: 100 });
  });

  test('nothing recorded is zero everywhere', () => {
    expect(new Histogram().summary()).toEqual({ count: 0, p50: 0, p90: 0, p99: 0, max: 0 });
  });
});
