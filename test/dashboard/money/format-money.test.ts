/** Amounts formatted for people, from decimal strings and without floats. */
import { describe, expect, test } from 'bun:test';
import {
  formatDecimal,
  formatPercent,
  formatRub,
  formatUsd,
  signOf,
  splitUsd,
} from '../../../dashboard/app/money/format-money.ts';

/** Russian separates groups and the currency with spaces that do not break. */
const plain = (text: string) => text.replaceAll(/\s/g, ' ');

describe('an amount in dollars', () => {
  test.each([
    ['5', '$5.00'],
    ['0', '$0.00'],
    ['-0.5', '-$0.50'],
    ['24.92956', '$24.92956'],
    ['0.000000001', '$0.000000001'],
    ['8999999.999999999', '$8,999,999.999999999'],
    ['0.000000000001', '$0.000000000001'],
  ])('%s is shown exactly, as %s', (amount, shown) => {
    expect(formatUsd(amount, 'en')).toBe(shown);
  });

  test('is rounded to cents only if requested', () => {
    expect(formatUsd('1234.567', 'en', { digits: 'cents' })).toBe('$1,234.57');
  });

  test('has the form of its language', () => {
    expect(plain(formatUsd('-1234.5', 'ru'))).toBe('-1 234,50 $');
    expect(formatUsd('1.5', 'en', { signed: true })).toBe('+$1.50');
  });

  test('is split after the cents, and the parts are the whole', () => {
    expect(splitUsd('24.92956', 'en')).toEqual({ head: '$24.92', subCents: '956', tail: '' });
    const { head, subCents, tail } = splitUsd('24.92956', 'ru');
    expect(head + subCents + tail).toBe(formatUsd('24.92956', 'ru'));
  });

  test('is refused if it is no decimal', () => {
    expect(() => formatUsd('1e3', 'en')).toThrow(RangeError);
    expect(() => formatUsd('', 'en')).toThrow(RangeError);
  });
});

test('roubles have the format of the language', () => {
  expect(formatRub('2243.66', 'en')).toBe('₽2,243.66');
  expect(plain(formatRub('2243.66', 'ru'))).toBe('2 243,66 ₽');
});

test('the sign of an amount is found without reading it as a number', () => {
  expect(['0.000', '-0', '-0.000000001', '0.1'].map(signOf)).toEqual([0, 0, -1, 1]);
});

test('a rate or a percentage has the decimal separator of the language, and all of its digits', () => {
  expect([formatDecimal('90.1230', 'en'), formatDecimal('90.1230', 'ru')]).toEqual(['90.1230', '90,1230']);
  expect(formatDecimal('90071992547409911.000000001', 'ru')).toBe('90071992547409911,000000001');
  expect([formatPercent('2.5', 'en'), formatPercent('2.5', 'ru')]).toEqual(['2.5%', '2,5\u00a0%']);
});
