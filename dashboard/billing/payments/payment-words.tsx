/** A payment's status, method, amounts and rate, as lists and details show them. */
import { Text } from '@mantine/core';
import { knownMethod } from '../../../shared/payment-methods.ts';
import { Status, type Tone } from '../../app/components/status.tsx';
import { type Translate, useLanguage, useTexts } from '../../app/i18n/use-texts.ts';
import { formatRub, formatUsd } from '../../app/money/format-money.ts';
import { formatDay } from '../../app/time/format-time.ts';
import type { PaymentStatus } from '../queries.ts';
import { paymentTexts } from './payment-texts.ts';

export type Currency = 'RUB' | 'USD';

const tones: Readonly<Record<PaymentStatus, Tone>> = {
  pending: 'warning',
  succeeded: 'good',
  canceled: 'neutral',
  expired: 'neutral',
  review: 'bad',
  refunded: 'neutral',
};

type PaymentText = NonNullable<(typeof paymentTexts)['key']>;

export function PaymentStatusMark({ status }: { status: PaymentStatus }) {
  const t = useTexts(paymentTexts);
  return <Status tone={tones[status]}>{t(status)}</Status>;
}

/** A method that was added to the API later is called by its id. */
export function methodName(id: string, t: Translate<PaymentText>): string {
  const known = knownMethod(id);
  return known === undefined ? id : t(known.id);
}

export function usePaid(): (amount: string, currency: Currency) => string {
  const language = useLanguage();
  return (amount, currency) => (currency === 'USD' ? formatUsd : formatRub)(amount, language);
}

/** What was paid, in its own currency. */
export function Paid({ amount, currency }: { amount: string; currency: Currency }) {
  const paid = usePaid();
  return <span className="amount">{paid(amount, currency)}</span>;
}

interface Rated {
  readonly rate: string;
  readonly rateDate: string | null;
}

/** The rate, and below it the day that it was set for. */
export function PaymentRate({ rate, rateDate }: Rated) {
  const t = useTexts(paymentTexts);
  const language = useLanguage();
  return (
    <span>
      <span className="amount">{formatRub(rate, language)}</span>
      <Text size="xs" c="dimmed">
        {rateDate === null ? t('rateConfigured') : t('rateFor', { date: formatDay(rateDate, language) })}
      </Text>
    </span>
  );
}
