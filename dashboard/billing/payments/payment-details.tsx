/** The facts of a payment: status, amounts, rate, times, and its refunds. */
import { Anchor, Group, Stack, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { CopyIcon } from '../../app/components/copy-icon.tsx';
import { Fact, FactList } from '../../app/components/fact-list.tsx';
import { Status, type Tone } from '../../app/components/status.tsx';
import { useLanguage, useTexts } from '../../app/i18n/use-texts.ts';
import { formatPercent, signOf } from '../../app/money/format-money.ts';
import { Usd } from '../../app/money/money.tsx';
import { Instant } from '../../app/time/instant.tsx';
import type { Payment } from '../queries.ts';
import { paymentTexts } from './payment-texts.ts';
import { methodName, Paid, PaymentRate, PaymentStatusMark } from './payment-words.tsx';

export function PaymentDetails({ payment }: { payment: Payment }) {
  const t = useTexts(paymentTexts);
  const language = useLanguage();
  const { amount, currency, refundedAmount, marginPercent, valueRub, paidAt } = payment;
  return (
    <Stack gap="lg">
      <div>
        <div className="payment-amount">
          <Paid amount={amount} currency={currency} />
        </div>
        <PaymentStatusMark status={payment.status} />
      </div>
      <FactList>
        <Fact label={t('method')}>{methodName(payment.method, t)}</Fact>
        <Fact label={t('credit')}>
          <strong>
            <Usd amount={payment.creditUsd} />
          </strong>
        </Fact>
        <Fact label={t('rate')}>
          <PaymentRate {...payment} />
        </Fact>
        {signOf(marginPercent) > 0 && currency === 'RUB' ? (
          <Fact label={t('margin')}>{formatPercent(marginPercent, language)}</Fact>
        ) : null}
        {currency === 'RUB' ? null : (
          <Fact label={t('valueRub')}>
            <Paid amount={valueRub} currency="RUB" />
          </Fact>
        )}
        {signOf(refundedAmount) > 0 ? (
          <Fact label={t('refundedAmount')}>
            <Paid amount={refundedAmount} currency={currency} />
          </Fact>
        ) : null}
        <Fact label={t('ordered')}>
          <Instant value={payment.createdAt} />
        </Fact>
        {paidAt === null ? null : (
          <Fact label={t('paidAt')}>
            <Instant value={paidAt} />
          </Fact>
        )}
        {payment.status === 'pending' ? (
          <Fact label={t('expires')}>
            <Instant value={payment.expiresAt} />
          </Fact>
        ) : null}
        {payment.transactionId === null ? null : (
          <Fact label={t('transaction')}>
            <Anchor component={Link} to="/transactions" search={{ type: 'payment' } as unknown as true} inherit>
              {t('statement')}
            </Anchor>
          </Fact>
        )}
        <Fact label={t('paymentId')}>
          <Group gap={4} wrap="nowrap" justify="flex-end">
            <span className="mono">{payment.id}</span>
            <CopyIcon value={payment.id} />
          </Group>
        </Fact>
      </FactList>
      <Refunds refunds={payment.refunds} currency={currency} />
    </Stack>
  );
}

const refundTones: Readonly<Record<Refund['status'], Tone>> = {
  pending: 'warning',
  review: 'warning',
  succeeded: 'good',
  refused: 'bad',
  failed: 'bad',
};
const refundTexts = {
  pending: 'refundPending',
  review: 'refundReview',
  succeeded: 'refundSucceeded',
  refused: 'refundRefused',
  failed: 'refundFailed',
} as const;

type Refund = Payment['refunds'][number];

function Refunds({ refunds, currency }: { refunds: readonly Refund[]; currency: Payment['currency'] }) {
  const t = useTexts(paymentTexts);
  if (refunds.length === 0) return null;
  return (
    <section>
      <Title order={3} size="h5" mb={6}>
        {t('refunds')}
      </Title>
      <FactList>
        {refunds.map((refund) => (
          <Fact key={refund.id} label={<Instant value={refund.createdAt} />}>
            {refund.kind === 'collection' || refund.kind === 'dispute' ? (
              t(refund.kind)
            ) : (
              <ReturnedAmount refund={refund} currency={currency} />
            )}
          </Fact>
        ))}
      </FactList>
    </section>
  );
}

function ReturnedAmount({ refund, currency }: { refund: Refund; currency: Payment['currency'] }) {
  const t = useTexts(paymentTexts);
  const { amount, status, kind, isReversal } = refund;
  const isBack = kind === 'restoration' || kind === 'failed_refund';
  return (
    <>
      <Paid amount={amount} currency={currency} />
      <Text size="xs" component="div">
        <Status tone={refundTones[status]}>{t(isBack ? 'refundRestored' : refundTexts[status])}</Status>
      </Text>
      {isReversal ? (
        <Text size="xs" c="dimmed">
          {t('reversal')}
        </Text>
      ) : null}
    </>
  );
}
