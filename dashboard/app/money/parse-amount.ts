/**
 * Amounts as people type them, in either language, and how to show one in a field. Thousands may be separated. What
 * could be thousands as well as decimals, such as `1,000`, is refused: no amount is guessed.
 */
import type { Language } from '../../../shared/languages.ts';
import { withoutEndingZeros } from './decimal.ts';
import { formatDecimal } from './format-money.ts';

/** Without separators; between thousands a space, a comma or a point, which is then not that of the decimals. */
const forms = [
  /^(?<whole>\d+)(?:[.,](?<fraction>\d+))?$/,
  /^(?<whole>[1-9]\d{0,2}(?:\s\d{3})+)(?:[.,](?<fraction>\d+))?$/,
  /^(?<whole>[1-9]\d{0,2}(?:,\d{3})+)(?:\.(?<fraction>\d+))?$/,
  /^(?<whole>[1-9]\d{0,2}(?:\.\d{3})+)(?:,(?<fraction>\d+))?$/,
];
const thousandsOrDecimals = /^(?<whole>[1-9]\d{0,2})[.,](?<fraction>\d{3})$/;
const digitsMax = 9;

/** A decimal string; undefined if the text is no amount, or more than one. */
export function parseAmount(text: string): string | undefined {
  if (readingsOf(text) !== undefined) return undefined;
  const bare = withoutSign(text);
  const { whole, fraction = '' } = forms.map((form) => form.exec(bare)?.groups).find(Boolean) ?? {};
  const digits = whole?.replace(/\D/g, '').replace(/^0+(?=\d)/, '');
  if (digits === undefined || digits.length > digitsMax || fraction.length > digitsMax) return undefined;
  return fraction === '' ? digits : `${digits}.${fraction}`;
}

/** Of `1,000`: `1000` and `1.00`, each so that it has no other reading. Undefined if the text has but one. */
export function readingsOf(text: string): { readonly thousands: string; readonly decimal: string } | undefined {
  const { whole = '', fraction = '' } = thousandsOrDecimals.exec(withoutSign(text))?.groups ?? {};
  if (fraction === '') return undefined;
  const decimals = withoutEndingZeros(fraction).padEnd(2, '0');
  return { thousands: whole + fraction, decimal: `${whole}.${decimals.length === 3 ? `${decimals}0` : decimals}` };
}

/** An amount of the API as a field shows it, so that `parseAmount` reads it again. */
export function amountInField(amount: string, language: Language): string {
  return formatDecimal(readingsOf(amount)?.decimal ?? amount, language);
}

const withoutSign = (text: string) =>
  text
    .trim()
    .replace(/^[$₽]|[$₽]$/g, '')
    .trim();
