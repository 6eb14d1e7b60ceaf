/** Top-ups: the balance, how to pay, and what was paid. */
import { Button, Stack, Tabs } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { createLazyRoute } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { PageHeader } from '../app/components/page-header.tsx';
import { DrawnLater } from '../app/components/section.tsx';
import { useTexts } from '../app/i18n/use-texts.ts';
import { usePolling } from '../app/live/live.ts';
import { choiceOf, present } from '../app/router/search.ts';
import { useMay } from '../app/session/permissions.ts';
import { BalanceTile } from '../overview/balance-tile.tsx';
import { balanceQuery } from '../overview/queries.ts';
import { AutomaticSection } from './automatic/automatic-section.tsx';
import { billingTexts } from './billing-texts.ts';
import { DocumentPanel } from './documents/document-panel.tsx';
import { DocumentsSection } from './documents/documents-section.tsx';
import type { AccountingDocument } from './documents/queries.ts';
import { PaymentPanel } from './payments/payment-panel.tsx';
import { PaymentTable } from './payments/payment-table.tsx';
import { autoTopUpQuery, billingTabs } from './queries.ts';
import { TopUpDialog } from './top-up/top-up-dialog.tsx';
import { useLivePayments } from './use-live-payments.ts';

export const billingRoute = createLazyRoute('/user/billing')({ component: BillingPage });

const pollingMs = 15_000;

function BillingPage() {
  const t = useTexts(billingTexts);
  const { tab = 'payments', topUp, payment, document, returned, cursor } = billingRoute.useSearch();
  const navigate = billingRoute.useNavigate();
  const balance = useQuery({ ...balanceQuery, refetchInterval: usePolling(pollingMs) });
  useLivePayments();
  /** What is closed has its address no longer. */
  const change = (changed: object) =>
    void navigate({
      search: present({ tab: tab === 'payments' ? undefined : tab, cursor, ...changed }),
      resetScroll: false,
    });
  const offset = cursor ?? 0;
  const openTopUp = () => change({ topUp: '1' });
  const mayManage = useMay('payments:manage');
  const topUpButton = mayManage ? (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={openTopUp}>
      {t('topUp')}
    </Button>
  ) : undefined;
  return (
    <>
      <PageHeader title={t('title')} description={t('text')} actions={topUpButton} />
      <Stack gap="lg">
        <div className="tiles billing-tiles">
          <BalanceTile balance={balance.data} />
        </div>
        <BillingTabs topUpButton={topUpButton} onDocument={({ id }) => change({ document: id })} />
      </Stack>
      <TopUpDialog
        opened={topUp !== undefined && mayManage}
        onClose={() => change({})}
        onCreated={({ id }) => change({ payment: id })}
      />
      <PaymentPanel
        paymentId={payment}
        hasReturned={returned !== undefined}
        onClose={() => change({})}
        onTopUp={openTopUp}
      />
      <DocumentPanel documentId={document} offset={offset} onClose={() => change({})} />
    </>
  );
}

interface BillingTabsProps {
  readonly topUpButton: ReactNode;
  readonly onDocument: (document: AccountingDocument) => void;
}

function BillingTabs({ topUpButton, onDocument }: BillingTabsProps) {
  const t = useTexts(billingTexts);
  const { tab = 'payments', cursor: offset = 0 } = billingRoute.useSearch();
  const navigate = billingRoute.useNavigate();
  const { data } = useQuery(autoTopUpQuery);
  // Where no method can charge a card, there is nothing to switch on.
  const hasAutomatic = tab === 'automatic' || (data !== undefined && data.methods.length > 0);
  const open = (value: string | null) => {
    const chosen = choiceOf({ value }, 'value', billingTabs);
    void navigate({ search: present({ tab: chosen === 'payments' ? undefined : chosen }), resetScroll: false });
  };
  return (
    <Tabs value={tab} onChange={open} keepMounted={false}>
      <Tabs.List mb="md" className="billing-tabs">
        <Tabs.Tab value="payments">{t('payments')}</Tabs.Tab>
        <Tabs.Tab value="documents">{t('documents')}</Tabs.Tab>
        {hasAutomatic ? <Tabs.Tab value="automatic">{t('automatic')}</Tabs.Tab> : null}
      </Tabs.List>
      <Tabs.Panel value="payments">
        <DrawnLater>
          <PaymentTable offset={offset} action={topUpButton} />
        </DrawnLater>
      </Tabs.Panel>
      <Tabs.Panel value="documents">
        <DocumentsSection offset={offset} onMade={onDocument} />
      </Tabs.Panel>
      <Tabs.Panel value="automatic">
        <AutomaticSection />
      </Tabs.Panel>
    </Tabs>
  );
}
