/**
 * Reads the US dollar's rate from the Bank of Russia's daily rates (https://www.cbr.ru/development/sxml/):
 * windows-1251, a decimal comma, and roubles per `Nominal` units of a currency.
 *
 * Not an XML parser: the document is flat, and anything that does not look exactly as expected is refused.
 */
import { parseRubPerUsd, rubPerUsdOf } from '../../../shared/money.ts';
import type { ExchangeRate } from './exchange-rate.ts';

const decoder = new TextDecoder('windows-1251', { fatal: true });
const datePattern = /<ValCurs\s[^>]*\bDate="(\d{2})[./](\d{2})[./](\d{4})"/;
const currencyPattern = /<Valute\b[^>]*>(?:(?!<\/Valute>)[\s\S])*<\/Valute>/g;

/** Anything else is a mistake at the bank: a rate of 0.9 or 90000 must not reach customers' prices. */
const plausible = { min: parseRubPerUsd('1'), max: parseRubPerUsd('10000') };

/** Throws Error, saying what is wrong with the document. */
export function parseCbrRates(document: Uint8Array): ExchangeRate {
  const text = decoder.decode(document);
  const [, day, month, year] = datePattern.exec(text) ?? [];
  const date = `${year}-${month}-${day}`;
  if (new Date(`${date}T00:00:00Z`).toJSON()?.slice(0, 10) !== date) throw new Error('the rates have no date');

  const dollars = (text.match(currencyPattern) ?? []).filter((currency) => field(currency, 'CharCode') === 'USD');
  const [dollar] = dollars;
  if (dollar === undefined || dollars.length > 1) throw new Error(`${dollars.length} rates of the US dollar`);
  const rubPerUsd = rubPerUsdOf(parseRubPerUsd(field(dollar, 'Value').replace(',', '.')), parseNominal(dollar));
  if (rubPerUsd < plausible.min || rubPerUsd > plausible.max) throw new Error('an implausible rate of the US dollar');
  return { rubPerUsd, date, source: 'cbr' };
}

function parseNominal(currency: string): number {
  const text = field(currency, 'Nominal');
  if (!/^[1-9]\d{0,6}$/.test(text)) throw new Error('a rate without a nominal');
  return Number(text);
}

function field(currency: string, name: 'CharCode' | 'Nominal' | 'Value'): string {
  return new RegExp(`<${name}>([^<]{1,40})</${name}>`).exec(currency)?.[1]?.trim() ?? '';
}
