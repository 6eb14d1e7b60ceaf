/** The exchange rate in responses that show an amount or a price in roubles. */
import { Type } from '@sinclair/typebox';
import { formatRubPerUsd } from '../../../shared/money.ts';
import type { ExchangeRate } from '../../catalogue/exchange-rate/exchange-rate.ts';
import { day, nullable, oneOf, text } from './schemas.ts';

export const rubRateSchema = (description: string) =>
  Type.Object(
    {
      perUsd: text('RUB per USD, as a decimal string.', '81.2345'),
      date: nullable(day('The day that the Bank of Russia set the rate for; null for a configured one.', '2030-01-01')),
      source: oneOf(['cbr', 'configured'], "Who set the rate: the Bank of Russia (`cbr`), or this gateway's operator."),
    },
    { description },
  );

export function renderRubRate({ rubPerUsd, date, source }: ExchangeRate) {
  return { perUsd: formatRubPerUsd(rubPerUsd), date, source };
}
