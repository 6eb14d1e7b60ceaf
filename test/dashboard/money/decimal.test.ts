/** Exact arithmetic on decimal strings. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { compareDecimals, decimalOf, productOf, sumDecimals, unitsOf } from '../../../dashboard/app/money/decimal.ts';
import { formatUsd, nanoUsd } from '../../../shared/money.ts';

test.each([
  [[], '0'],
  [['0.1', '0.2'], '0.3'],
  [['-0.5', '0.25'], '-0.25'],
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

test('products have all of their decimals', () => {
  expect(productOf('0.000000001', '90.1234')).toBe('0.0000000901234');
  expect(productOf('-1.5', '2')).toBe('-3');
});

test('decimals are ordered by their value and not by their text', () => {
  expect(['10', '9.5', '-1', '0.5', '0.25'].sort(compareDecimals)).toEqual(['-1', '0.25', '0.5', '9.5', '10']);
  expect(compareDecimals('1.0', '1')).toBe(0);
});

test.each(['0', '12', '-0.000000000000000001', '90071992547409911.000000001'])(
  'the number %s is formatted and parsed unchanged',
  (text) => {
    expect(decimalOf(unitsOf(text))).toBe(text);
  },
);

test.each(['', '1e3', '.5', '5.', '1,5', '0.0000000000000000001'])('the text "%s" is refused', (text) => {
  expect(() => unitsOf(text)).toThrow(RangeError);
});
