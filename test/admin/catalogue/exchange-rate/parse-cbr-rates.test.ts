/** The bank's document is parsed exactly or refused. */
import { expect, test } from 'bun:test';
import { parseCbrRates } from '../../../../admin/catalogue/exchange-rate/parse-cbr-rates.ts';
import { formatRubPerUsd } from '../../../../shared/money.ts';
import { inWindows1251, type Quote, ratesText } from './bank.ts';

const parse = (quote: Quote = {}) => parseCbrRates(inWindows1251(ratesText(quote)));

test('the dollar is found among other currencies, with its decimal comma and its date', () => {
  const rate = parse();
  expect({ ...rate, rubPerUsd: formatRubPerUsd(rate.rubPerUsd) }).toEqual({
    rubPerUsd: '81.2345',
    date: '2026-11-21',
    source: 'cbr',
  });
});

test.each([
  ['812,345', '10', '81.2345'],
  ['8123,4567', '100', '81.2346'],
  ['100', '3', '33.3333'],
  ['200,0001', '3', '66.6667'],
  ['90', '1', '90'],
])('a quote of %s RUB for %s dollars is %s, as decimals', (value, nominal, expected) => {
  expect(formatRubPerUsd(parse({ value, nominal }).rubPerUsd)).toBe(expected);
});

test.each<[string, Quote]>([
  ['a rate of zero', { value: '0,0000' }],
  ['a rate below one', { value: '0,9' }],
  ['an absurd rate', { value: '90000' }],
  ['an exponent', { value: '9e1' }],
  ['a negative rate', { value: '-81,2345' }],
  ['more decimals than the bank has', { value: '81,23456' }],
  ['no value', { value: '' }],
  ['a nominal of zero', { nominal: '0' }],
  ['a nominal that is not a number', { nominal: 'ten' }],
  ['an impossible date', { date: '31.02.2026' }],
  ['no date', { date: '' }],
])('a quote with %s is refused', (_name, quote) => {
  expect(() => parse(quote)).toThrow();
});

test.each([
  ['nothing', ''],
  ['an error page', '<html><body>Internal Server Error</body></html>'],
  ['a document without the dollar', ratesText().replaceAll('USD', 'USX')],
  ['a document with two dollars', ratesText().replaceAll('EUR', 'USD')],
  ['a document that was cut', ratesText().slice(0, ratesText().indexOf('Доллар'))],
])('the document is refused if it is %s', (_name, text) => {
  expect(() => parseCbrRates(inWindows1251(text))).toThrow();
});
