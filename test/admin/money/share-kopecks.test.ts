/** Sharing out roubles, and the tax in an amount: nothing is lost to rounding. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { includedTax, parsePercent, shareKopecks } from '../../../admin/money/payment-money.ts';
import { nanoUsd, rubKopecks } from '../../../shared/money.ts';

const sumOf = (amounts: readonly bigint[]) => amounts.reduce((sum, amount) => sum + amount, 0n);

test('shares sum to the whole, and each is within a kopeck of its proportion', () => {
  const weights = fc.array(fc.bigInt({ min: 0n, max: 10n ** 15n }), { minLength: 1, maxLength: 30 });
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 10n ** 12n }), weights, (kopecks, given) => {
      fc.pre(sumOf(given) > 0n);
      const shares = shareKopecks(rubKopecks(kopecks), given.map(nanoUsd));
      expect(sumOf(shares)).toBe(kopecks);
      for (const [index, share] of shares.entries()) {
        const exact = kopecks * (given[index] ?? 0n);
        const distance = share * sumOf(given) - exact;
        expect(distance > -sumOf(given) && distance < sumOf(given)).toBe(true);
      }
    }),
  );
});

test('the remainder of rounding goes to the largest remainders, earlier shares first', () => {
  const share = (kopecks: bigint, weights: bigint[]) =>
    shareKopecks(rubKopecks(kopecks), weights.map(nanoUsd)).map(Number);
  expect(share(100n, [1n, 1n, 1n])).toEqual([34, 33, 33]);
  expect(share(10n, [26n, 35n, 39n])).toEqual([3, 3, 4]);
  expect(share(1n, [0n, 5n])).toEqual([0, 1]);
});

test.each([
  { rate: '22', kopecks: 122_000, tax: 22_000 },
  { rate: '22', kopecks: 812_345, tax: 146_488 },
  { rate: '20', kopecks: 3, tax: 1 },
  { rate: '20', kopecks: 2, tax: 0 },
  { rate: '5.5', kopecks: 105_500, tax: 5_500 },
])('an amount of $kopecks kopecks that includes $rate percent has a tax of $tax', ({ rate, kopecks, tax }) => {
  expect(Number(includedTax(rubKopecks(BigInt(kopecks)), parsePercent(rate)))).toBe(tax);
});
