/** Amounts in digits and in words, from a kopeck to a hundred million roubles. */
import { expect, test } from 'bun:test';
import { assert, bigInt, property } from 'fast-check';
import {
  add,
  amountInWords,
  formatAdvanceRate,
  formatAmount,
  formatRate,
  subtract,
} from '../../../../../admin/documents/render/text/amounts.ts';
import { formatMinorUnits, minorUnits } from '../../../../../admin/money/payment-money.ts';

const plain = (text: string) => text.replaceAll('\u00a0', ' ');

test.each([
  ['0.01', 'Ноль рублей 01 копейка'],
  ['0.02', 'Ноль рублей 02 копейки'],
  ['0.11', 'Ноль рублей 11 копеек'],
  ['1', 'Один рубль 00 копеек'],
  ['2.22', 'Два рубля 22 копейки'],
  ['5.05', 'Пять рублей 05 копеек'],
  ['11.14', 'Одиннадцать рублей 14 копеек'],
  ['21.21', 'Двадцать один рубль 21 копейка'],
  ['40.4', 'Сорок рублей 40 копеек'],
  ['112.00', 'Сто двенадцать рублей 00 копеек'],
  ['1000.00', 'Одна тысяча рублей 00 копеек'],
  ['2001.00', 'Две тысячи один рубль 00 копеек'],
  ['12000.00', 'Двенадцать тысяч рублей 00 копеек'],
  ['21042.99', 'Двадцать одна тысяча сорок два рубля 99 копеек'],
  ['122000.00', 'Сто двадцать две тысячи рублей 00 копеек'],
  ['1000000.00', 'Один миллион рублей 00 копеек'],
  ['2000002.02', 'Два миллиона два рубля 02 копейки'],
  ['11011011.11', 'Одиннадцать миллионов одиннадцать тысяч одиннадцать рублей 11 копеек'],
  [
    '99999999.99',
    'Девяносто девять миллионов девятьсот девяносто девять тысяч девятьсот девяносто девять рублей 99 копеек',
  ],
])('the amount %s in words is %s', (amount, words) => {
  expect(plain(amountInWords(amount))).toBe(words);
});

const units = [
  ...['', 'один', 'два', 'три', 'четыре', 'пять', 'шесть', 'семь', 'восемь', 'девять', 'десять', 'одиннадцать'],
  ...['двенадцать', 'тринадцать', 'четырнадцать', 'пятнадцать', 'шестнадцать', 'семнадцать', 'восемнадцать'],
  'девятнадцать',
];
const tens = 'двадцать тридцать сорок пятьдесят шестьдесят семьдесят восемьдесят девяносто'.split(' ');
const hundreds = 'сто двести триста четыреста пятьсот шестьсот семьсот восемьсот девятьсот'.split(' ');

function form(count: number, [one, few, many]: readonly [string, string, string]): string {
  const last = count % 100 > 10 && count % 100 < 20 ? 0 : count % 10;
  if (last === 1) return one;
  return last > 1 && last < 5 ? few : many;
}

function group(count: number, isFeminine: boolean): string[] {
  const rest = count % 100;
  const unit = rest < 20 ? rest : rest % 10;
  const feminine: Record<number, string> = isFeminine ? { 1: 'одна', 2: 'две' } : {};
  return [
    hundreds[Math.floor(count / 100) - 1] ?? '',
    rest < 20 ? '' : (tens[Math.floor(rest / 10) - 2] ?? ''),
    feminine[unit] ?? units[unit] ?? '',
  ];
}

/** Written independently of the library. */
function spell(kopecks: number): string {
  const roubles = Math.floor(kopecks / 100);
  const [millions, thousands, ones] = [Math.floor(roubles / 1e6), Math.floor(roubles / 1e3) % 1e3, roubles % 1e3];
  const words = [
    ...(millions === 0 ? [] : [...group(millions, false), form(millions, ['миллион', 'миллиона', 'миллионов'])]),
    ...(thousands === 0 ? [] : [...group(thousands, true), form(thousands, ['тысяча', 'тысячи', 'тысяч'])]),
    ...group(ones, false),
  ].filter((word) => word !== '');
  const text = words.length === 0 ? 'ноль' : words.join(' ');
  const cents = kopecks % 100;
  const tail = `${String(cents).padStart(2, '0')} ${form(cents, ['копейка', 'копейки', 'копеек'])}`;
  return `${text.charAt(0).toUpperCase()}${text.slice(1)} ${form(ones, ['рубль', 'рубля', 'рублей'])} ${tail}`;
}

test('any amount up to 99,999,999.99 is spelled as an independent implementation spells it', () => {
  assert(
    property(bigInt(1n, 9_999_999_999n), (kopecks) => {
      expect(plain(amountInWords(formatMinorUnits(minorUnits(kopecks))))).toBe(spell(Number(kopecks)));
    }),
    { numRuns: 3_000 },
  );
});

test.each([
  ['0.01', '0,01'],
  ['-20.5', '−20,50'],
  ['999.9', '999,90'],
  ['1000', '1\u202f000,00'],
  ['99999999.99', '99\u202f999\u202f999,99'],
])('the amount %s in digits is %s, with no-break narrow spaces', (amount, digits) => {
  expect(formatAmount(amount)).toBe(digits);
});

test('rates have a decimal comma, and the rate of an advance includes the tax', () => {
  expect([formatRate('22'), formatRate('7.5')]).toEqual(['22%', '7,5%']);
  expect([formatAdvanceRate('22'), formatAdvanceRate('7.5')]).toEqual(['22/122', '7,5/107,5']);
});

test('sums and differences of amounts are exact', () => {
  expect(subtract('122000.00', '22000.01')).toBe('99999.99');
  expect(add(['0.1', '0.2', '99999999.99'])).toBe('100000000.29');
  expect(add([])).toBe('0.00');
});
