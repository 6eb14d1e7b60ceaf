/** What was paid, and below it what of was returned in full. */
import { Text } from '@mantine/core';
import { useTexts } from '../../app/i18n/use-texts.ts';
import { signOf } from '../../app/money/format-money.ts';
import type { PaymentStatus } from '../queries.ts';
import { paymentTexts } from './payment-texts.ts';
import { type Currency, Paid, usePaid } from './payment-words.tsx';

interface Amounts {
  readonly amount: string;
  readonly currency: Currency;
  readonly refundedAmount: string;
  readonly status: PaymentStatus;
}

export function PaidAndRefunded({ payment: { amount, currency, refundedAmount, status } }: { payment: Amounts }) {
  const t = useTexts(paymentTexts);
  const paid = usePaid();
  const isPart = status !== 'refunded' && signOf(refundedAmount) > 0;
  return (
    <span>
      <Paid amount={amount} currency={currency} />
      {isPart ? (
        <Text size="xs" c="dimmed">
          {t('partlyRefunded', { amount: paid(refundedAmount, currency) })}
        </Text>
      ) : null}
    </span>
  );
}
