/** A request's receipt as its customer sees it, and which deployment served it at which prices. */
import { Skeleton, Stack, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ReceiptDetails } from '../../activity/receipt-details.tsx';
import { SidePanel } from '../../app/components/dialogs/side-panel.tsx';
import { Loaded } from '../../app/components/loaded.tsx';
import { useLanguage, useTexts } from '../../app/i18n/use-texts.ts';
import { formatMarkup } from '../../app/money/format-money.ts';
import { Usd } from '../../app/money/money.tsx';
import { Facts } from '../facts.tsx';
import { accountTexts } from './account-texts.ts';
import { type OperatorReceipt, receiptQuery } from './queries.ts';

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

function ProviderSide({ receipt }: { receipt: OperatorReceipt }) {
  const t = useTexts(accountTexts);
  const language = useLanguage();
  const { deployment, markup, providerPrices, providerImagePrices, cost } = receipt;
  const imagePrices = providerImagePrices.filter(
    ({ size, quality }) => cost.images === null || (size === cost.images.size && quality === cost.images.quality),
  );
  const prices =
    imagePrices.length > 0
      ? imagePrices.map(({ size, quality, price }) => [t('providerImage', { size, quality }), price] as const)
      : ([
          [t('providerPrompt'), providerPrices.prompt],
          [t('providerCompletion'), providerPrices.completion],
        ] as const);
  return (
    <section>
      <Title order={3} size="h5" mb={6}>
        {t('provider')}
      </Title>
      <Facts
        facts={[
          { label: t('deployment'), value: deployment || '—' },
          { label: t('markup'), value: formatMarkup(markup, language) },
          ...prices.map(([label, price]) => ({ label, value: <Usd amount={price} /> })),
        ]}
      />
    </section>
  );
}

function Receipt({ requestId }: { requestId: string }) {
  const query = useQuery(receiptQuery(requestId));
  return (
    <Loaded query={query} skeleton={<Skeleton height={420} />}>
      {(receipt) => (
        <Stack gap="lg">
          <ReceiptDetails receipt={receipt} />
          <ProviderSide receipt={receipt} />
        </Stack>
      )}
    </Loaded>
  );
}
