/** When to retry, in all formats that providers use. */
import { expect, test } from 'bun:test';
import { readRetryAfter } from '../../../../../proxy/request/upstream/retries/retry-after.ts';

const nowMs = Date.parse('2026-11-21T10:00:00Z');
const cases: [headers: Record<string, string>, ms: number | undefined][] = [
  [{}, undefined],
  [{ 'retry-after': '2' }, 2_000],
  [{ 'retry-after': '0' }, 0],
  [{ 'retry-after': '0.75' }, 750],
  [{ 'retry-after': 'Sat, 21 Nov 2026 10:00:30 GMT' }, 30_000],
  [{ 'retry-after': 'Sat, 21 Nov 2026 09:00:00 GMT' }, 0],
  [{ 'retry-after-ms': '150' }, 150],
  [{ 'retry-after-ms': '150', 'retry-after': '1' }, 150],
  [{ 'retry-after-ms': 'soon', 'retry-after': '1' }, 1_000],
  [{ 'retry-after': '-5' }, undefined],
  [{ 'retry-after': 'soon' }, undefined],
  [{ 'retry-after': '' }, undefined],
];

for (const [headers, ms] of cases) {
  test(`the headers ${JSON.stringify(headers)} mean a retry after ${ms}`, () =>
    expect(readRetryAfter(new Headers(headers), nowMs)).toBe(ms));
}
