/** Payments of all accounts: first those that wait for a decision, then all, with filters. */
import { Button, Stack, Tabs, Text } from '@mantine/core';
import { IconCash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { createLazyRoute, Link } from '@tanstack/react-router';
import { EmptyState } from '../../app/components/empty-state.tsx';
import { PageHeader } from '../../app/components/page-header.tsx';
import { Pager } from '../../app/components/pager.tsx';
import { useTexts } from '../../app/i18n/use-texts.ts';
import { idOf, present } from '../../app/router/search.ts';
import { Section } from '../section.tsx';
import { BankTransfers } from './bank/bank-transfers.tsx';
import { PaymentFilters } from './payment-filters.tsx';
import { PaymentPanel } from './payment-panel.tsx';
import { PaymentTable } from './payment-table.tsx';
import { paymentsTexts } from './payments-texts.ts';
import { operatorPaymentsQuery, type PaymentFilter, reviewFilter } from './queries.ts';

export const paymentsRoute = createLazyRoute('/user/operator/operator/payments')({ component: PaymentsPage });

/** Live events tell of the operator's own account only. */
const pollingMs = 10_000;

function PaymentsPage() {
  const t = useTexts(paymentsTexts);
  const { tab = 'payments', payment, ...filter } = paymentsRoute.useSearch();
  const navigate = paymentsRoute.useNavigate();
  const close = () => void navigate({ search: present(filter), replace: true, resetScroll: false });
  return (
    <>
      <PageHeader title={t('title')} description={t('description')} />
      <Tabs
        value={tab}
        onChange={(value) => void navigate({ search: value === 'bank' ? { tab: value } : {} })}
        keepMounted={false}
      >
        <Tabs.List mb="md">
          <Tabs.Tab value="payments">{t('title')}</Tabs.Tab>
          <Tabs.Tab value="bank">{t('bank')}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="payments">
          <Stack gap="xl">
            <ReviewQueue />
            <AllPayments filter={filter} />
          </Stack>
        </Tabs.Panel>
        <Tabs.Panel value="bank">
          <BankTransfers offset={idOf(filter, 'cursor') ?? 0} />
        </Tabs.Panel>
      </Tabs>
      <PaymentPanel paymentId={payment} onClose={close} />
    </>
  );
}

function ReviewQueue() {
  const t = useTexts(paymentsTexts);
  const query = useQuery({ ...operatorPaymentsQuery(reviewFilter), refetchInterval: pollingMs });
  return (
    <Section title={t('review')}>
      <PaymentTable
        label={t('review')}
        payments={query.data?.payments}
        query={query}
        hasProblem
        skeletonRows={1}
        empty={
          <Text size="sm" c="dimmed" h={45}>
            {t('reviewNone')}
          </Text>
        }
      />
    </Section>
  );
}

function AllPayments({ filter }: { filter: PaymentFilter }) {
  const t = useTexts(paymentsTexts);
  const { cursor, ...filters } = filter;
  const query = useQuery({ ...operatorPaymentsQuery(filter), refetchInterval: pollingMs });
  const { payments, nextCursor } = query.data ?? {};
  return (
    <Section title={t('all')}>
      <PaymentFilters />
      <PaymentTable
        label={t('all')}
        payments={payments}
        query={query}
        empty={<NoPayments isFiltered={Object.keys(filters).length > 0} />}
        pager={cursor === undefined && !nextCursor ? undefined : <Pager cursor={cursor} nextCursor={nextCursor} />}
      />
    </Section>
  );
}

function NoPayments({ isFiltered }: { isFiltered: boolean }) {
  const t = useTexts(paymentsTexts);
  if (!isFiltered) return <EmptyState icon={IconCash} title={t('emptyTitle')} text={t('emptyText')} />;
  return (
    <EmptyState
      icon={IconCash}
      title={t('noneTitle')}
      text={t('noneText')}
      action={
        <Button variant="default" component={Link} to="/operator/payments">
          {t('clear')}
        </Button>
      }
    />
  );
}
