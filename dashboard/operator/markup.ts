/** The factor from the provider's prices to the listed ones: `× 1.2`, in Russian `× 1,2`. */
import type { Language } from '../app/i18n/language.ts';
import { locales } from '../app/money/format-money.ts';

/** More than any markup has. */
const fractionDigitsMax = 12;

/** Of a decimal string. */
export function formatMarkup(markup: string, language: Language): string {
  const format = new Intl.NumberFormat(locales[language], { maximumFractionDigits: fractionDigitsMax });
  return `× ${format.format(markup as Intl.StringNumericLiteral)}`;
}
