/** Numbers as other programs write them are read exactly. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { readWrittenNumber, unitsRoundedUp, wholeNumberOf } from '../../shared/exact-decimal.ts';
import { parseNumbersAsText, rawJson } from '../../shared/json-source.ts';

const digits = fc.bigInt({ min: 0n, max: 10n ** 25n });

test('a number is the same in every notation', () => {
  fc.assert(
    fc.property(digits, fc.integer({ min: 1, max: 12 }), (value, decimals) => {
      const text = value.toString().padStart(decimals + 1, '0');
      const plain = `${text.slice(0, -decimals)}.${text.slice(-decimals)}`;
      for (const written of [plain, `${value}e-${decimals}`, `${value}E-0${decimals}`, `${value}0e-${decimals + 1}`]) {
        const read = readWrittenNumber(written);
        if (read === undefined) throw new Error(`${written} is not read`);
        expect(unitsRoundedUp(read, decimals)).toBe(value);
        expect(unitsRoundedUp(read, decimals + 3)).toBe(value * 1_000n);
      }
    }),
  );
});

test('what is beyond the precision is rounded up', () => {
  const up = (text: string) => unitsRoundedUp(readWrittenNumber(text) ?? { digits: -1n, exponent: 0 }, 2);
  expect([up('0.1'), up('0.11'), up('0.110000001'), up('0'), up('1e-40')]).toEqual([10n, 11n, 12n, 0n, 1n]);
});

test.each(['', '-1', '+1', '.5', '5.', '1e', '1e1e1', '0x1', 'NaN', '1_000', `1e41`, '1e-41', '1'.repeat(41)])(
  'the text %j is no number here',
  (text) => {
    expect(readWrittenNumber(text)).toBeUndefined();
  },
);

describe('of JSON', () => {
  test('every number is the text that it is written as, wherever it is', () => {
    const text = '{"a":[1.50,{"b":-0}],"c":1e400,"d":"1","e":12345678901234567890.5}';
    expect(parseNumbersAsText(text)).toEqual({
      a: ['1.50', { b: '-0' }],
      c: '1e400',
      d: '1',
      e: '12345678901234567890.5',
    });
    expect(() => parseNumbersAsText('{"a":01}')).toThrow(SyntaxError);
  });

  test('raw text is written unchanged', () => {
    expect(JSON.stringify({ a: rawJson('1.50e-07') })).toBe('{"a":1.50e-07}');
  });
});

test('a whole number may have a point', () => {
  const whole = (text: string) => wholeNumberOf(readWrittenNumber(text) ?? { digits: -1n, exponent: 0 });
  expect([whole('8192.0'), whole('1.5e3'), whole('2e5'), whole('0.5')]).toEqual([8192n, 1500n, 200_000n, undefined]);
});
