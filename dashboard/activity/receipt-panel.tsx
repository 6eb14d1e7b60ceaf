/** The receipt of a request in a panel beside the list. */
import { Skeleton, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { SidePanel } from '../app/components/dialogs/side-panel.tsx';
import { Loaded } from '../app/components/loaded.tsx';
import { useTexts } from '../app/i18n/use-texts.ts';
import { activityTexts } from './activity-texts.ts';
import { receiptQuery } from './queries.ts';
import { ReceiptDetails } from './receipt-details.tsx';

export function ReceiptPanel({ requestId, onClose }: { requestId: string | undefined; onClose: () => void }) {
  const t = useTexts(activityTexts);
  // While the panel closes, it still shows the receipt.
  const [shownId, setShownId] = useState(requestId);
  if (requestId !== undefined && requestId !== shownId) setShownId(requestId);
  return (
    <SidePanel opened={requestId !== undefined} onClose={onClose} title={t('receipt')}>
      {shownId === undefined ? null : <LoadedReceipt requestId={shownId} />}
    </SidePanel>
  );
}

function LoadedReceipt({ requestId }: { requestId: string }) {
  const query = useQuery(receiptQuery(requestId));
  return (
    <Loaded query={query} skeleton={<ReceiptSkeleton />}>
      {(receipt) => <ReceiptDetails receipt={receipt} />}
    </Loaded>
  );
}

function ReceiptSkeleton() {
  return (
    <Stack gap="md">
      <Skeleton height={32} width="50%" />
      {[1, 2, 3, 4, 5].map((line) => (
        <Skeleton key={line} height={14} />
      ))}
      <Skeleton height={160} mt="md" />
    </Stack>
  );
}
