/**
 * Amounts for people, from the API's decimal strings. They never pass through a float: Intl formats the digits of the
 * string.
 */
import { customsOf, type Language } from '../../../shared/languages.ts';

/** Amounts are exact to a nano-dollar, and prices per token to a pico-dollar. */
const fractionDigitsMax = 12;
const decimal = /^-?\d+(?:\.\d+)?$/;

export interface MoneyOptions {
  /** `exact` shows every digit that is not a trailing zero, and at least two; `cents` rounds. By default `exact`. */
  readonly digits?: 'exact' | 'cents';
  /** Writes a plus before amounts above zero. */
  readonly signed?: boolean;
}

export interface MoneyParts {
  /** Everything up to the cents. */
  readonly head: string;
  /** Digits beyond the cents; empty if there are none. */
  readonly subCents: string;
  /** The currency, where it comes last. */
  readonly tail: string;
}

/** `$5.00`, `$0.000123`; in Russian `5,00 $`. */
export function formatUsd(amount: string, language: Language, options: MoneyOptions = {}): string {
  return formatter('USD', language, options).format(parse(amount));
}

/** `₽450.12`; in Russian `450,12 ₽`. */
export function formatRub(amount: string, language: Language, options: MoneyOptions = {}): string {
  return formatter('RUB', language, options).format(parse(amount));
}

/** For a display in which digits beyond the cents are fainter. */
export function splitUsd(amount: string, language: Language, options: MoneyOptions = {}): MoneyParts {
  const parts = formatter('USD', language, options).formatToParts(parse(amount));
  const at = parts.findIndex(({ type }) => type === 'fraction');
  const text = (from: number, to?: number) =>
    parts
      .slice(from, to)
      .map(({ value }) => value)
      .join('');
  if (at < 0) return { head: text(0), subCents: '', tail: '' };
  const fraction = parts[at]?.value ?? '';
  return { head: text(0, at) + fraction.slice(0, 2), subCents: fraction.slice(2), tail: text(at + 1) };
}

/** Below, at or above zero. */
export function signOf(amount: string): -1 | 0 | 1 {
  if (!/[1-9]/.test(amount)) return 0;
  return amount.startsWith('-') ? -1 : 1;
}

/** `90.1234`; in Russian `90,1234`. Every digit stays: for rates, percents, and amounts in fields. */
export function formatDecimal(number: string, language: Language): string {
  return number.replace('.', customsOf[language].decimalSeparator);
}

/** `2.5%`; in Russian `2,5 %`. */
export function formatPercent(percent: string, language: Language): string {
  return formatDecimal(percent, language) + customsOf[language].percentSign;
}

/** The factor from the provider's prices to the listed ones: `× 1.2`, in Russian `× 1,2`. */
export const formatMarkup = (markup: string, language: Language): string => `× ${formatDecimal(markup, language)}`;

const formatters = new Map<string, Intl.NumberFormat>();

function formatter(currency: 'USD' | 'RUB', language: Language, { digits, signed }: MoneyOptions): Intl.NumberFormat {
  const key = `${currency} ${language} ${digits} ${signed}`;
  const known = formatters.get(key);
  if (known !== undefined) return known;
  const created = new Intl.NumberFormat(customsOf[language].numbers, {
    style: 'currency',
    currency,
    currencyDisplay: 'narrowSymbol',
    minimumFractionDigits: 2,
    maximumFractionDigits: digits === 'cents' ? 2 : fractionDigitsMax,
    signDisplay: signed ? 'exceptZero' : 'negative',
  });
  formatters.set(key, created);
  return created;
}

function parse(amount: string): Intl.StringNumericLiteral {
  if (!decimal.test(amount)) throw new RangeError(`not an amount: ${amount}`);
  return amount as Intl.StringNumericLiteral;
}
