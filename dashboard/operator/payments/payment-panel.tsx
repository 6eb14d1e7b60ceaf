/** One payment as operators see it: its facts, what was said about it, and what can be decided. */
import { Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Fact, FactList } from '../../app/components/fact-list.tsx';
import { Loaded } from '../../app/components/loaded.tsx';
import { SidePanel } from '../../app/components/side-panel.tsx';
import { useTexts } from '../../app/i18n/use-texts.ts';
import { signOf } from '../../app/money/format-money.ts';
import { Usd } from '../../app/money/money.tsx';
import { Instant } from '../../app/time/instant.tsx';
import { PaymentDetails } from '../../billing/payments/payment-details.tsx';
import { CancelDialog } from './decisions/cancel-dialog.tsx';
import { ConfirmPaymentDialog } from './decisions/confirm-payment-dialog.tsx';
import { RefundDialog } from './decisions/refund-dialog.tsx';
import { PaymentEvents } from './payment-events.tsx';
import { paymentsTexts } from './payments-texts.ts';
import { type OperatorPayment, operatorPaymentQuery } from './queries.ts';

const pollingMs = 10_000;

/** `paymentId` is undefined while it is closed. */
export function PaymentPanel({ paymentId, onClose }: { paymentId: string | undefined; onClose: () => void }) {
  const t = useTexts(paymentsTexts);
  // While the panel closes, it still shows the payment.
  const [shownId, setShownId] = useState(paymentId);
  if (paymentId !== undefined && paymentId !== shownId) setShownId(paymentId);
  return (
    <SidePanel opened={paymentId !== undefined} onClose={onClose} title={t('payment')}>
      {shownId === undefined ? null : <LoadedPayment paymentId={shownId} />}
    </SidePanel>
  );
}

function LoadedPayment({ paymentId }: { paymentId: string }) {
  const query = useQuery({ ...operatorPaymentQuery(paymentId), refetchInterval: pollingMs });
  return (
    <Loaded query={query} skeleton={<Skeleton height={480} />}>
      {(payment) => (
        <Stack gap="lg">
          {payment.problem === null ? null : (
            <Text size="sm" className="operator-problem" role="note">
              {payment.problem}
            </Text>
          )}
          <PaymentDetails payment={payment} />
          <OperatorFacts payment={payment} />
          <Decisions payment={payment} />
          <PaymentEvents paymentId={payment.id} />
        </Stack>
      )}
    </Loaded>
  );
}

function OperatorFacts({ payment }: { payment: OperatorPayment }) {
  const t = useTexts(paymentsTexts);
  const { accountId, email, reference, owedUsd, disputedAt, refunds } = payment;
  const account = (
    <Link to="/operator/accounts/$id" params={{ id: String(accountId) }} className="operator-plain-link">
      {email}
    </Link>
  );
  return (
    <FactList>
      <Fact label={t('customer')}>{account}</Fact>
      {reference === null ? null : <Fact label={t('reference')}>{reference}</Fact>}
      {signOf(owedUsd) === 0 ? null : (
        <Fact label={t('owed')}>
          <Usd amount={owedUsd} />
        </Fact>
      )}
      {disputedAt === null ? null : (
        <Fact label={t('disputed')}>
          <Instant value={disputedAt} />
        </Fact>
      )}
      {refunds.map(({ id, createdAt, reason, problem, takenUsd }) => (
        <Fact key={id} label={<Instant value={createdAt} />}>
          {problem ?? reason}
          <Text size="xs" c="dimmed">
            {t('taken')} <Usd amount={takenUsd} />
          </Text>
        </Fact>
      ))}
    </FactList>
  );
}

type Decision = 'confirm' | 'cancel' | 'refund';

function Decisions({ payment }: { payment: OperatorPayment }) {
  const t = useTexts(paymentsTexts);
  const [open, setOpen] = useState<Decision>();
  const isBooked = payment.transactionId !== null;
  const dialog = (decision: Decision) => ({ payment, opened: open === decision, onClose: () => setOpen(undefined) });
  const canCancel = !isBooked && payment.status !== 'canceled' && payment.status !== 'expired';
  return (
    <section>
      <Group gap="xs">
        {isBooked ? (
          payment.status === 'refunded' ? null : (
            <Button variant="default" onClick={() => setOpen('refund')}>
              {t('refund')}
            </Button>
          )
        ) : (
          <Button onClick={() => setOpen('confirm')}>{t('confirm')}</Button>
        )}
        {canCancel ? (
          <Button variant="default" onClick={() => setOpen('cancel')}>
            {t('cancelPayment')}
          </Button>
        ) : null}
      </Group>
      <ConfirmPaymentDialog {...dialog('confirm')} />
      <CancelDialog {...dialog('cancel')} />
      <RefundDialog {...dialog('refund')} />
    </section>
  );
}
