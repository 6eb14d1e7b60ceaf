/** Money is exact: there is one rounding, and it goes up. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  costOf,
  formatPricePerToken,
  formatRub,
  formatRubPer100kTokens,
  formatUsd,
  nanoUsd,
  parseMarkup,
  parsePricePerMillion,
  parseRubPerUsd,
  parseUsd,
  picoUsdPerToken,
  toJsonNumber,
  withMarkup,
} from '../../shared/money.ts';

const tokens = fc.integer({ min: 0, max: 10_000_000 });
/** Up to 1000 USD per million tokens, with 12 decimals of a dollar per token. */
const price = fc.bigInt({ min: 0n, max: 1_000_000_000n }).map(picoUsdPerToken);

describe('the cost of a request', () => {
  test('is tokens / 1,000,000 × price, exact to a nano-dollar and rounded up once', () => {
    fc.assert(
      fc.property(tokens, price, tokens, price, (prompt, promptPrice, completion, completionPrice) => {
        const cost = costOf([
          { count: prompt, price: promptPrice },
          { count: completion, price: completionPrice },
        ]);
        const exactPico = BigInt(prompt) * promptPrice + BigInt(completion) * completionPrice;
        const roundedUpBy = cost * 1_000n - exactPico;
        expect(roundedUpBy >= 0n && roundedUpBy < 1_000n).toBe(true);
      }),
    );
  });

  test('the cost of a request at the output cap covers the cost of every lower count', () => {
    fc.assert(
      fc.property(tokens, tokens, price, price, (bound, used, promptPrice, completionPrice) => {
        const [fewer, more] = [Math.min(bound, used), Math.max(bound, used)];
        const cost = (count: number) =>
          costOf([
            { count, price: promptPrice },
            { count, price: completionPrice },
          ]);
        expect(cost(fewer) <= cost(more)).toBe(true);
      }),
    );
  });

  test('refuses invalid token counts', () => {
    for (const count of [-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53]) {
      expect(() => costOf([{ count, price: picoUsdPerToken(1n) }])).toThrow(RangeError);
    }
  });
});

describe('decimals', () => {
  test('survive parsing and formatting', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 9_000_000_000_000_000n }), (amount) => {
        expect(parseUsd(formatUsd(nanoUsd(amount)))).toBe(nanoUsd(amount));
      }),
    );
  });

  test('are refused if they are malformed or have too many decimals', () => {
    for (const text of ['', '.5', '5.', '-1', '+1', '1e3', '0x1', '1,5', ' 1', '1.0000000001', 'NaN']) {
      expect(() => parseUsd(text)).toThrow(RangeError);
    }
    expect(() => parsePricePerMillion('0.0000001')).toThrow(RangeError);
  });

  test('as JSON numbers are exact to a nano-dollar below a million dollars', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 999_999_999_999_999n }), (amount) => {
        const json = JSON.stringify(toJsonNumber(nanoUsd(amount)));
        expect(BigInt(Math.round(Number(json) * 1e9))).toBe(amount);
      }),
    );
  });
});

test('a price is listed with its markup, in dollars per token and roubles per 100,000 tokens', () => {
  const listed = withMarkup(parsePricePerMillion('0.15'), parseMarkup('1.20'));
  expect(formatPricePerToken(listed)).toBe('0.00000018');
  expect(formatRubPer100kTokens(listed, parseRubPerUsd('90.1234'))).toBe('1.6222212');
  expect(withMarkup(picoUsdPerToken(1n), parseMarkup('1.000001'))).toBe(picoUsdPerToken(2n));
});

test('a balance in roubles is rounded down to a kopeck, also below zero', () => {
  const rate = parseRubPerUsd('90');
  expect(formatRub(parseUsd('4.9996136'), rate)).toBe('449.96');
  expect(formatRub(nanoUsd(-1n), rate)).toBe('-0.01');
});
