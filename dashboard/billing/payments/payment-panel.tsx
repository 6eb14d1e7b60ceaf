/** One payment: what becomes of it while one waits, its amounts, and what went back. */
import { Group, Skeleton, Stack, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { SidePanel } from '../../app/components/dialogs/side-panel.tsx';
import { Loaded } from '../../app/components/loaded.tsx';
import { useTexts } from '../../app/i18n/use-texts.ts';
import { billingTexts } from '../billing-texts.ts';
import { documentsTexts } from '../documents/documents-texts.ts';
import { DownloadButton } from '../documents/download-button.tsx';
import { PdfPreview } from '../documents/pdf-preview.tsx';
import { paymentQuery } from '../queries.ts';
import { PaymentDetails } from './payment-details.tsx';
import { PaymentOutcome } from './payment-outcome.tsx';

/** A payment that fails sends no live event. One by bank transfer waits for days. */
const pendingPollingMs = 2_000;
const transferPollingMs = 30_000;

interface PaymentPanelProps {
  /** Undefined while it is closed. */
  readonly paymentId: string | undefined;
  /** Whether the browser has just come back from the provider's page. */
  readonly hasReturned: boolean;
  readonly onClose: () => void;
  readonly onTopUp: () => void;
}

export function PaymentPanel({ paymentId, hasReturned, onClose, onTopUp }: PaymentPanelProps) {
  const t = useTexts(billingTexts);
  // While the panel closes, it still shows the payment.
  const [shown, setShown] = useState({ paymentId, hasReturned });
  if (paymentId !== undefined && paymentId !== shown.paymentId) setShown({ paymentId, hasReturned });
  return (
    <SidePanel opened={paymentId !== undefined} onClose={onClose} title={t('payment')}>
      {shown.paymentId === undefined ? null : (
        <LoadedPayment paymentId={shown.paymentId} hasReturned={shown.hasReturned} onTopUp={onTopUp} />
      )}
    </SidePanel>
  );
}

interface LoadedPaymentProps {
  readonly paymentId: string;
  readonly hasReturned: boolean;
  readonly onTopUp: () => void;
}

function LoadedPayment({ paymentId, hasReturned, onTopUp }: LoadedPaymentProps) {
  const query = useQuery({
    ...paymentQuery(paymentId),
    refetchInterval: ({ state: { data } }) => {
      if (data?.status !== 'pending') return false;
      return data.documentId === null ? pendingPollingMs : transferPollingMs;
    },
  });
  // A reader who saw it waiting sees that the money has arrived.
  const [hasWaited, setWaited] = useState(hasReturned);
  if (query.data?.status === 'pending' && !hasWaited) setWaited(true);
  return (
    <Loaded query={query} skeleton={<PaymentSkeleton />}>
      {(payment) => (
        <Stack gap="lg">
          <PaymentOutcome payment={payment} hasWaited={hasWaited} onTopUp={onTopUp} />
          <PaymentDetails payment={payment} />
          {payment.documentId === null ? null : <Invoice documentId={payment.documentId} />}
        </Stack>
      )}
    </Loaded>
  );
}

function Invoice({ documentId }: { documentId: string }) {
  const t = useTexts(documentsTexts);
  return (
    <section>
      <Group justify="space-between" mb="xs">
        <Title order={3} size="h5">
          {t('invoice')}
        </Title>
        <DownloadButton documentId={documentId} />
      </Group>
      <PdfPreview documentId={documentId} />
    </section>
  );
}

function PaymentSkeleton() {
  return (
    <Stack gap="md">
      <Skeleton height={120} />
      {[1, 2, 3, 4, 5, 6].map((line) => (
        <Skeleton key={line} height={14} />
      ))}
    </Stack>
  );
}
