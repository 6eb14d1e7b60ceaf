/** A request's receipt as its customer sees it, and which deployment served it at which prices. */
import { Skeleton, Stack, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ReceiptDetails } from '../../activity/receipt-details.tsx';
import { SidePanel } from '../../app/components/dialogs/side-panel.tsx';
import { Loaded } from '../../app/components/loaded.tsx';
import { useTexts } from '../../app/i18n/use-texts.ts';
import { Usd } from '../../app/money/money.tsx';
import { Facts } from '../facts.tsx';
import { accountTexts } from './account-texts.ts';
import { receiptQuery } from './queries.ts';

export function ReceiptPanel({ requestId, onClose }: { requestId: string | undefined; onClose: () => void }) {
  const t = useTexts(accountTexts);
  // While the panel closes, it still shows the receipt.
  const [shownId, setShownId] = useState(requestId);
  if (requestId !== undefined && requestId !== shownId) setShownId(requestId);
  return (
    <SidePanel opened={requestId !== undefined} onClose={onClose} title={t('receipt')}>
      {shownId === undefined ? null : <Receipt requestId={shownId} />}
    </SidePanel>
  );
}

function Receipt({ requestId }: { requestId: string }) {
  const t = useTexts(accountTexts);
  const query = useQuery(receiptQuery(requestId));
  return (
    <Loaded query={query} skeleton={<Skeleton height={420} />}>
      {(receipt) => (
        <Stack gap="lg">
          <ReceiptDetails receipt={receipt} />
          <section>
            <Title order={3} size="h5" mb={6}>
              {t('provider')}
            </Title>
            <Facts
              facts={[
                { label: t('deployment'), value: receipt.deployment ?? '—' },
                { label: t('markup'), value: `× ${receipt.markup}` },
                { label: t('providerPrompt'), value: <Usd amount={receipt.providerPrices.prompt} /> },
                { label: t('providerCompletion'), value: <Usd amount={receipt.providerPrices.completion} /> },
              ]}
            />
          </section>
        </Stack>
      )}
    </Loaded>
  );
}
