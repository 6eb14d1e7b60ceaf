/** The statement: every change of the balance, and the balance after it. */
import { Button, Select } from '@mantine/core';
import { IconReceipt } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { createLazyRoute, Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { CsvButton } from '../app/components/csv-button.tsx';
import { type Column, DataTable } from '../app/components/data-table.tsx';
import { EmptyState } from '../app/components/empty-state.tsx';
import { RangeField } from '../app/components/fields/range-field.tsx';
import { PageHeader } from '../app/components/page-header.tsx';
import { Pager } from '../app/components/pager.tsx';
import { type Translate, useTexts } from '../app/i18n/use-texts.ts';
import { usePolling } from '../app/live/live.ts';
import { AlignedUsd } from '../app/money/aligned-usd.tsx';
import { present, rangeOf } from '../app/router/search.ts';
import { Instant } from '../app/time/instant.tsx';
import { type Transaction, transactionsFile, transactionsQuery, transactionTypes } from './queries.ts';
import { transactionsTexts } from './transactions-texts.ts';
import { useDescribeTransaction } from './use-describe-transaction.ts';

export const transactionsRoute = createLazyRoute('/user/transactions')({ component: TransactionsPage });

const pollingMs = 15_000;

type T = Translate<NonNullable<(typeof transactionsTexts)['key']>>;

function TransactionsPage() {
  const t = useTexts(transactionsTexts);
  const search = transactionsRoute.useSearch();
  const { cursor, ...filter } = search;
  const query = useQuery({ ...transactionsQuery(search), refetchInterval: usePolling(pollingMs) });
  const { transactions, nextCursor } = query.data ?? {};
  const columns = useMemo(() => columnsOf(t, transactions ?? []), [t, transactions]);
  return (
    <>
      <PageHeader
        title={t('title')}
        description={t('text')}
        actions={<CsvButton fileName="transactions.csv" path={transactionsFile(filter)} />}
      />
      <Filters />
      <DataTable
        label={t('title')}
        columns={columns}
        rows={transactions}
        rowKey={keyOf}
        query={query}
        empty={<NoTransactions isFiltered={Object.keys(filter).length > 0} />}
        pager={cursor === undefined && !nextCursor ? undefined : <Pager cursor={cursor} nextCursor={nextCursor} />}
      />
    </>
  );
}

const keyOf = ({ id }: Transaction) => id;

function Filters() {
  const t = useTexts(transactionsTexts);
  const search = transactionsRoute.useSearch();
  const navigate = transactionsRoute.useNavigate();
  const change = (changed: object) =>
    void navigate({ search: present({ ...search, cursor: undefined, ...changed }), resetScroll: false });
  return (
    <div className="filters">
      <RangeField
        value={rangeOf(search)}
        onChange={(days) => change({ from: days?.from, to: days?.to })}
        placeholder={t('allTime')}
      />
      <Select
        label={t('type')}
        data={[{ value: '', label: t('all') }, ...transactionTypes.map((value) => ({ value, label: t(value) }))]}
        value={search.type ?? ''}
        onChange={(value) => change({ type: value || undefined })}
        allowDeselect={false}
      />
    </div>
  );
}

function NoTransactions({ isFiltered }: { isFiltered: boolean }) {
  const t = useTexts(transactionsTexts);
  if (!isFiltered) return <EmptyState icon={IconReceipt} title={t('emptyTitle')} text={t('emptyText')} />;
  return (
    <EmptyState
      icon={IconReceipt}
      title={t('noneTitle')}
      text={t('noneText')}
      action={
        <Button variant="default" component={Link} to="/transactions">
          {t('clearFilters')}
        </Button>
      }
    />
  );
}

function columnsOf(t: T, transactions: readonly Transaction[]): Column<Transaction>[] {
  const amounts = transactions.map(({ amountUsd }) => amountUsd);
  const balances = transactions.map(({ balanceAfter }) => balanceAfter);
  return [
    { id: 'time', header: t('time'), render: ({ createdAt }) => <Instant value={createdAt} /> },
    { id: 'type', header: t('type'), render: ({ type }) => <span className="amount">{t(type)}</span> },
    { id: 'description', header: t('description'), render: (transaction) => <Description of={transaction} /> },
    {
      id: 'amount',
      header: t('amount'),
      align: 'right',
      render: ({ amountUsd }) => <AlignedUsd amount={amountUsd} among={amounts} signed />,
    },
    {
      id: 'balance',
      header: t('balanceAfter'),
      align: 'right',
      render: ({ balanceAfter }) => <AlignedUsd amount={balanceAfter} among={balances} />,
    },
  ];
}

/** A charge leads to its receipt. */
function Description({ of: transaction }: { of: Transaction }) {
  const describe = useDescribeTransaction();
  const { requestId } = transaction;
  const description = describe(transaction);
  if (requestId === undefined) return description;
  return (
    <Link className="link" to="/activity" search={{ request: requestId } as unknown as true}>
      {description}
    </Link>
  );
}
