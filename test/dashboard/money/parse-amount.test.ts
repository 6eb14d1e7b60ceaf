/** Amounts as people type them are read exactly as they are meant, or not at all. */

import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { parseHours, parseThreshold } from '../../../dashboard/alerts/alert-settings.ts';
import { amountInField, parseAmount, readingsOf } from '../../../dashboard/app/money/parse-amount.ts';
import { parsePaid } from '../../../dashboard/billing/payments/paid-amount.ts';

test.each([
  ['5', '5'],
  [' $5.25 ', '5.25'],
  ['5 $', '5'],
  ['450,12 ₽', '450.12'],
  ['0,5', '0.5'],
  ['1,50', '1.50'],
  ['1,5000', '1.5000'],
  ['0,001', '0.001'],
  ['0.001', '0.001'],
  ['0.000000001', '0.000000001'],
  ['1000,500', '1000.500'],
  ['007', '7'],
])('the typed amount "%s" is %s', (text, amount) => {
  expect(parseAmount(text)).toBe(amount);
});

test.each([
  ['1 000', '1000'],
  ['1\u00a0000,5', '1000.5'],
  ['12\u202f345.678', '12345.678'],
  ['1,000.00', '1000.00'],
  ['1.000,00', '1000.00'],
  ['1,000,000', '1000000'],
  ['1.000.000', '1000000'],
  ['1,234,567.891', '1234567.891'],
])('the typed amount "%s" is %s, because its separators have one meaning', (text, amount) => {
  expect(parseAmount(text)).toBe(amount);
});

test.each([
  ['1,000', { thousands: '1000', decimal: '1.00' }],
  ['1.000', { thousands: '1000', decimal: '1.00' }],
  ['$1,000', { thousands: '1000', decimal: '1.00' }],
  ['12,500', { thousands: '12500', decimal: '12.50' }],
  ['999.125', { thousands: '999125', decimal: '999.1250' }],
])('the typed amount "%s" is refused, because it could be thousands or decimals', (text, readings) => {
  expect(parseAmount(text)).toBeUndefined();
  expect(readingsOf(text)).toEqual(readings);
  expect([parseAmount(readings.thousands), parseAmount(readings.decimal)]).toEqual(Object.values(readings));
});

test.each(['', '-1', '1e3', '5.', '.5', '0.0000000001', '1234567890', '1,00,000', '1 00', '1,000.00.0', '0,000,001'])(
  'the text "%s" is no amount',
  (text) => {
    expect(parseAmount(text)).toBeUndefined();
    expect(readingsOf(text)).toBeUndefined();
  },
);

test('the amount that a field shows is read again as the same amount', () => {
  expect([amountInField('1.234', 'en'), amountInField('1.234', 'ru')]).toEqual(['1.2340', '1,2340']);
  expect([amountInField('0.5', 'ru'), amountInField('', 'ru')]).toEqual(['0,5', '']);
  const digits = fc.tuple(fc.bigInt({ min: 0n, max: 999_999_999n }), fc.bigInt({ min: 0n, max: 999_999_999n }));
  fc.assert(
    fc.property(
      digits,
      fc.integer({ min: 1, max: 9 }),
      fc.constantFrom('en', 'ru'),
      ([whole, part], length, language) => {
        const amount = `${whole}.${String(part).padStart(9, '0').slice(0, length)}`;
        const read = parseAmount(amountInField(amount, language)) ?? '';
        expect(read.replace(/\.?0+$/, '')).toBe(amount.replace(/\.?0+$/, ''));
      },
    ),
  );
});

test('a payment or a threshold has at most two decimals, so three digits after a separator are refused', () => {
  expect(['1,000', '1.000', '99,505', '0'].map(parsePaid)).toEqual([undefined, undefined, undefined, undefined]);
  expect(['1 000', '99,50 ₽', '1,000.00'].map(parsePaid)).toEqual(['1000', '99.50', '1000.00']);
  expect(['1,000', '10 000 000,01'].map(parseThreshold)).toEqual([undefined, undefined]);
  expect(['0', '1 500', '10,000,000', '99,5'].map(parseThreshold)).toEqual(['0', '1500', '10000000', '99.5']);
});

test('hours are decimal numbers in either language', () => {
  expect(['24', ' 1,5 ', '0.25', '', '-1', '0x10', '1e3'].map(parseHours)).toEqual([
    24,
    1.5,
    0.25,
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});
