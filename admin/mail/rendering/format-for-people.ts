/** Amounts, rates and dates as people of a language write them. Amounts stay exact decimals up to the last step. */
import { customsOf, type Language } from '../../../shared/languages.ts';
import {
  formatRubExactly,
  formatRubKopecks,
  formatRubPerUsd,
  formatUsd,
  nanoUsd,
  rubKopecks,
  rubRate,
} from '../../../shared/money.ts';
import { formatMinorUnits, minorUnits } from '../../money/payment-money.ts';

interface PaidAmount {
  readonly amountMinor: string;
  readonly currency: 'RUB' | 'USD';
}

/**
 * Rounded down to a cent, so that the balance is never overstated. Less than a cent is shown with two significant
 * digits.
 */
export function usdText(amountNano: string, language: Language): string {
  return currencyText(formatUsd(nanoUsd(BigInt(amountNano))), 'USD', language);
}

/** Dollars as roubles at a rate, rounded as dollars are. */
export function usdAsRubText(amountNano: string, rubPerUsd: string, language: Language): string {
  return currencyText(formatRubExactly(nanoUsd(BigInt(amountNano)), rubRate(BigInt(rubPerUsd))), 'RUB', language);
}

export function kopecksText(kopecks: string, language: Language): string {
  return currencyText(formatRubKopecks(rubKopecks(BigInt(kopecks))), 'RUB', language);
}

/** Kopecks or cents. */
export function paidText({ amountMinor, currency }: PaidAmount, language: Language): string {
  return currencyText(formatMinorUnits(minorUnits(BigInt(amountMinor))), currency, language);
}

/** Roubles per dollar with the bank's four decimals. */
export function rateText(rubPerUsd: string, language: Language): string {
  const format = new Intl.NumberFormat(customsOf[language].numbers, {
    minimumFractionDigits: 2,
    maximumFractionDigits: 4,
  });
  return format.format(asExact(formatRubPerUsd(rubRate(BigInt(rubPerUsd)))));
}

/** A calendar date: `2026-11-21`. */
export function dateText(date: string, language: Language): string {
  return new Intl.DateTimeFormat(customsOf[language].dates, { dateStyle: 'long', timeZone: 'UTC' }).format(
    new Date(date),
  );
}

export function instantText(instant: string, language: Language): string {
  const format = { dateStyle: 'long', timeStyle: 'short', hourCycle: 'h23', timeZone: 'UTC' } as const;
  return `${new Intl.DateTimeFormat(customsOf[language].dates, format).format(new Date(instant))} UTC`;
}

function currencyText(decimal: string, currency: 'USD' | 'RUB', language: Language): string {
  const format = new Intl.NumberFormat(customsOf[language].numbers, {
    style: 'currency',
    currency,
    // Few people elsewhere know the sign of the rouble.
    currencyDisplay: currency === 'RUB' && customsOf[language].currency !== 'RUB' ? 'code' : 'narrowSymbol',
    roundingMode: 'floor',
    ...(isBelowCent(decimal) && { maximumSignificantDigits: 2 }),
  });
  return format.format(asExact(decimal));
}

/** Above zero, but zero when rounded to two decimals. */
function isBelowCent(decimal: string): boolean {
  return /^-?0\.00\d*[1-9]/.test(decimal);
}

/** Intl formats decimal strings exactly; its type requires a numeric string. */
function asExact(decimal: string): Intl.StringNumericLiteral {
  return decimal as Intl.StringNumericLiteral;
}
