/** What became of a payment, for a customer who waits for it, and what they can do next. */
import { Alert, Button, Group, Loader, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconCircleCheck, IconInfoCircle } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { bankTransfer } from '../../../shared/payment-methods.ts';
import { useLanguage, useTexts } from '../../app/i18n/use-texts.ts';
import { formatUsd } from '../../app/money/format-money.ts';
import { useMay } from '../../app/session/permissions.ts';
import { balanceQuery } from '../../overview/queries.ts';
import { billingTexts } from '../billing-texts.ts';
import type { Payment } from '../queries.ts';
import { usePaid } from './payment-words.tsx';

interface PaymentOutcomeProps {
  readonly payment: Payment;
  /** Whether the customer saw it waiting. Otherwise an old payment needs no news. */
  readonly hasWaited: boolean;
  readonly onTopUp: () => void;
}

export function PaymentOutcome({ payment, hasWaited, onTopUp }: PaymentOutcomeProps) {
  return (
    <div aria-live="polite" className="payment-outcome">
      <Outcome payment={payment} hasWaited={hasWaited} onTopUp={onTopUp} />
    </div>
  );
}

function Outcome({ payment, hasWaited, onTopUp }: PaymentOutcomeProps) {
  const t = useTexts(billingTexts);
  const mayTopUp = useMay('payments:manage');
  const again = mayTopUp ? (
    <Button variant="default" size="xs" onClick={onTopUp}>
      {t('again')}
    </Button>
  ) : undefined;
  switch (payment.status) {
    case 'pending':
      return payment.method === bankTransfer ? <AwaitedTransfer payment={payment} /> : <Awaited payment={payment} />;
    case 'succeeded':
      return hasWaited ? <Received /> : null;
    case 'canceled':
      return <News tone="red" title={t('failedTitle')} text={t('failedText')} action={again} />;
    case 'expired':
      return <News tone="gray" title={t('failedTitle')} text={t('expiredText')} action={again} />;
    case 'review':
      return <News tone="yellow" title={t('reviewTitle')} text={t('reviewText')} />;
    case 'refunded':
      return null;
  }
}

function Awaited({ payment: { confirmationUrl } }: { payment: Payment }) {
  const t = useTexts(billingTexts);
  const mayPay = useMay('payments:manage');
  const action =
    confirmationUrl === null || !mayPay ? undefined : (
      <Button component="a" href={confirmationUrl} size="xs">
        {t('continuePayment')}
      </Button>
    );
  const icon = <Loader size={16} aria-hidden />;
  return <News tone="indigo" icon={icon} title={t('waitingTitle')} text={t('waitingText')} action={action} />;
}

function AwaitedTransfer({ payment: { amount, currency } }: { payment: Payment }) {
  const t = useTexts(billingTexts);
  const paid = usePaid();
  return <News tone="indigo" title={t('invoiceTitle')} text={t('invoiceText', { amount: paid(amount, currency) })} />;
}

function Received() {
  const t = useTexts(billingTexts);
  const language = useLanguage();
  const { data } = useQuery(balanceQuery);
  const text = data === undefined ? '' : t('receivedText', { balance: formatUsd(data.balanceUsd, language) });
  return <News tone="teal" title={t('receivedTitle')} text={text} />;
}

interface NewsProps {
  readonly tone: 'indigo' | 'teal' | 'red' | 'yellow' | 'gray';
  readonly icon?: ReactNode;
  readonly title: string;
  readonly text: string;
  readonly action?: ReactNode;
}

const icons = {
  indigo: IconInfoCircle,
  teal: IconCircleCheck,
  red: IconAlertTriangle,
  yellow: IconAlertTriangle,
  gray: IconInfoCircle,
} as const;

function News({ tone, icon, title, text, action }: NewsProps) {
  const Mark = icons[tone];
  return (
    <Alert color={tone} variant="outline" icon={icon ?? <Mark size={18} aria-hidden />} className="payment-news">
      <Stack gap={6}>
        <Text size="sm" fw={600}>
          {title}
        </Text>
        <Text size="sm">{text}</Text>
        {action === undefined ? null : <Group mt={4}>{action}</Group>}
      </Stack>
    </Alert>
  );
}
