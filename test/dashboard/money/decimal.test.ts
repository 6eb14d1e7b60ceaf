/** Sums and comparisons of decimal strings. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { compareDecimals, sumDecimals } from '../../../dashboard/app/money/decimal.ts';
import { formatUsd, nanoUsd } from '../../../shared/money.ts';

test.each([
  [[], '0'],
  [['0.1', '0.2'], '0.3'],
  [['8999999.999999999', '0.000000001'], '9000000'],
  [['0.000000000001', '-0.000000000002'], '-0.000000000001'],
  [['1', '-1'], '0'],
])('the sum of %j is %s', (decimals, sum) => {
  expect(sumDecimals(decimals)).toBe(sum);
});

test('a sum of amounts of the API is exact to a nano-dollar', () => {
  const amounts = fc.array(fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n }));
  fc.assert(
    fc.property(amounts, (nanos) => {
      const sum = nanos.reduce((one, other) => one + other, 0n);
      expect(sumDecimals(nanos.map((nano) => formatUsd(nanoUsd(nano))))).toBe(formatUsd(nanoUsd(sum)));
    }),
  );
});

test('a text that is no decimal has no sum', () => {
  expect(() => sumDecimals(['1e3'])).toThrow(RangeError);
});

test('amounts are compared by their value and not as texts', () => {
  expect(['10', '9', '-2', '0.5'].sort(compareDecimals)).toEqual(['-2', '0.5', '9', '10']);
});
