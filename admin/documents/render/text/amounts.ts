/** Amounts as Russian papers write them: in digits with thin spaces and a comma, and in words. */
import { convert } from 'number-to-words-ru';
import {
  formatMinorUnits,
  formatPercent,
  type MinorUnits,
  minorUnits,
  parseMinorUnits,
  parsePercent,
  partsPerMillion,
} from '../../../money/payment-money.ts';

/** Narrow, and no place for a line break. */
const thinSpace = '\u202f';
const hundredPercent = parsePercent('100');

/** "1234567.8" → "1 234 567,80". Negative is what corrections gave back of a payment that was used in months before. */
export function formatAmount(amount: string): string {
  const { isNegative, size } = splitSign(amount);
  const [whole = '', fraction = ''] = formatMinorUnits(parseMinorUnits(size)).split('.');
  return `${isNegative ? '−' : ''}${groupDigits(whole)},${fraction}`;
}

/** "1234567" → "1 234 567". */
export function groupDigits(digits: string): string {
  const first = digits.length % 3;
  return [digits.slice(0, first), ...(digits.slice(first).match(/\d{3}/g) ?? [])].filter(Boolean).join(thinSpace);
}

/** "1000.50" → "Одна тысяча рублей 50 копеек". Kopecks stay digits, as usual. */
export function amountInWords(amount: string): string {
  const words = { integer: true, fractional: false };
  const text = convert(formatMinorUnits(parseMinorUnits(amount)), { currency: 'rub', convertNumberToWords: words });
  return text.replace(/ (?=копе)/, '\u00a0');
}

export function subtract(amount: string, part: string): string {
  return formatMinorUnits(minorUnits(parseMinorUnits(amount) - parseMinorUnits(part)));
}

export function add(amounts: readonly string[]): string {
  return formatMinorUnits(
    amounts.reduce((total, amount) => minorUnits(total + parseMinorUnits(amount)), minorUnits(0n)),
  );
}

/** A balance: which side has it, and how much. */
export function splitSign(amount: string): { readonly isNegative: boolean; readonly size: string } {
  const isNegative = amount.startsWith('-');
  return { isNegative, size: isNegative ? amount.slice(1) : amount };
}

export function isZero(amount: string): boolean {
  return parseMinorUnits(splitSign(amount).size) === 0n;
}

/** "22" → "22%". */
export function formatRate(rate: string): string {
  return `${rate.replace('.', ',')}%`;
}

/** The rate of an advance, which includes the tax: "22" → "22/122". */
export function formatAdvanceRate(rate: string): string {
  const whole = formatPercent(partsPerMillion(hundredPercent + parsePercent(rate)));
  return `${rate}/${whole}`.replaceAll('.', ',');
}

/** "1000.00" → "100000", in the smallest unit. */
export function kopecksOf(amount: string): MinorUnits {
  return parseMinorUnits(amount);
}
