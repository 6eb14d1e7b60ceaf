/** One payment as operators see it: its facts, what was said about it, and what can be decided. */
import { Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { SidePanel } from '../../app/components/dialogs/side-panel.tsx';
import { Fact, FactList } from '../../app/components/fact-list.tsx';
import { Loaded } from '../../app/components/loaded.tsx';
import { useTexts } from '../../app/i18n/use-texts.ts';
import { signOf } from '../../app/money/format-money.ts';
import { Usd } from '../../app/money/money.tsx';
import { Instant } from '../../app/time/instant.tsx';
import { PaymentDetails } from '../../billing/payments/payment-details.tsx';
import { CancelForm } from './decisions/cancel-form.tsx';
import { ConfirmForm } from './decisions/confirm-form.tsx';
import { RefundForm } from './decisions/refund-form.tsx';
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
const forms = { confirm: ConfirmForm, cancel: CancelForm, refund: RefundForm } as const;

/** Asked in the panel itself: a dialog above it would hide what is decided about. */
function Decisions({ payment }: { payment: OperatorPayment }) {
  const t = useTexts(paymentsTexts);
  const [open, setOpen] = useState<Decision>();
  if (open !== undefined) {
    const Form = forms[open];
    return (
      <div className="panel">
        <Form payment={payment} onClose={() => setOpen(undefined)} />
      </div>
    );
  }
  const isBooked = payment.transactionId !== null;
  const canCancel = !isBooked && payment.status !== 'canceled' && payment.status !== 'expired';
  const button = (decision: Decision, label: string, isFirst = false) => (
    <Button variant={isFirst ? 'filled' : 'default'} onClick={() => setOpen(decision)}>
      {label}
    </Button>
  );
  return (
    <Group gap="xs">
      {isBooked ? null : button('confirm', t('confirm'), true)}
      {isBooked && payment.status !== 'refunded' ? button('refund', t('refund')) : null}
      {canCancel ? button('cancel', t('cancelPayment')) : null}
    </Group>
  );
}
