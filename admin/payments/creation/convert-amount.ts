/** What an amount of a payment is in dollars and in roubles, at a rate. */
import type { NanoUsd, RubKopecks } from '../../../shared/money.ts';
import { rubKopecks } from '../../../shared/money.ts';
import type { ExchangeRate } from '../../catalogue/exchange-rate/exchange-rate.ts';
import type { PaymentCurrency } from '../../database/tables/payments.ts';
import { centsToUsd, kopecksToUsd, minorUnits, type PartsPerMillion, usdToKopecks } from '../../money/payment-money.ts';

export interface Converted {
  readonly creditNano: NanoUsd;
  readonly rubKopecks: RubKopecks;
}

/** The margin marks the rate up for payments in roubles; what a payment is worth in roubles is what was paid. */
export function convertAmount(
  { amountMinor, currency }: { amountMinor: bigint; currency: PaymentCurrency },
  { rubPerUsd }: Pick<ExchangeRate, 'rubPerUsd'>,
  marginPpm: PartsPerMillion,
): Converted {
  if (currency === 'RUB') {
    const kopecks = rubKopecks(amountMinor);
    return { creditNano: kopecksToUsd(kopecks, rubPerUsd, marginPpm), rubKopecks: kopecks };
  }
  const creditNano = centsToUsd(minorUnits(amountMinor));
  return { creditNano, rubKopecks: usdToKopecks(creditNano, rubPerUsd) };
}
