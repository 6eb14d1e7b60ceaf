/** Everything that changed the account's balance. */
import { SegmentedControl } from '@mantine/core';
import { IconReceipt } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type Column, DataTable } from '../../app/components/data-table.tsx';
import { EmptyState } from '../../app/components/empty-state.tsx';
import { Pager } from '../../app/components/pager.tsx';
import { type Translate, useTexts } from '../../app/i18n/use-texts.ts';
import { AlignedUsd } from '../../app/money/aligned-usd.tsx';
import { choiceOf } from '../../app/router/search.ts';
import { Instant } from '../../app/time/instant.tsx';
import { useDescribeTransaction } from '../../transactions/use-describe-transaction.ts';
import { accountTexts } from './account-texts.ts';
import {
  type AccountTransaction,
  accountTransactionsQuery,
  type TransactionsSearch,
  type TransactionType,
  transactionTypes,
} from './queries.ts';

interface TransactionTableProps {
  readonly accountId: number;
  readonly search: TransactionsSearch;
  /** Undefined for all. */
  readonly onType: (type: TransactionType | undefined) => void;
}

export function TransactionTable({ accountId, search, onType }: TransactionTableProps) {
  const t = useTexts(accountTexts);
  const query = useQuery(accountTransactionsQuery(accountId, search));
  return (
    <>
      <div className="filters">
        <SegmentedControl
          className="filters-grow"
          aria-label={t('type')}
          value={search.type ?? 'all'}
          onChange={(value) => onType(choiceOf({ value }, 'value', transactionTypes))}
          data={[
            { value: 'all', label: t('all') },
            ...transactionTypes.map((value) => ({ value, label: t(`${value}s`) })),
          ]}
        />
      </div>
      <DataTable
        label={t('transactions')}
        columns={columnsOf(t, query.data?.transactions ?? [])}
        rows={query.data?.transactions}
        rowKey={({ id }) => id}
        query={query}
        empty={<EmptyState icon={IconReceipt} title={t('noTransactions')} text={t('noTransactionsText')} />}
        pager={<Pager cursor={search.cursor} nextCursor={query.data?.nextCursor} />}
      />
    </>
  );
}

function columnsOf(
  t: Translate<NonNullable<(typeof accountTexts)['key']>>,
  rows: readonly AccountTransaction[],
): Column<AccountTransaction>[] {
  const amounts = rows.map(({ amountUsd }) => amountUsd);
  const balances = rows.map(({ balanceAfter }) => balanceAfter);
  return [
    { id: 'time', header: t('time'), render: ({ createdAt }) => <Instant value={createdAt} /> },
    { id: 'type', header: t('type'), render: ({ type }) => t(type) },
    {
      id: 'description',
      header: t('descriptionOf'),
      render: (transaction) => <Description of={transaction} />,
    },
    {
      id: 'amount',
      header: t('amount'),
      align: 'right',
      render: ({ amountUsd }) => <AlignedUsd amount={amountUsd} among={amounts} signed />,
    },
    {
      id: 'balance',
      header: t('balanceThen'),
      align: 'right',
      render: ({ balanceAfter }) => <AlignedUsd amount={balanceAfter} among={balances} />,
    },
  ];
}

function Description({ of: transaction }: { of: AccountTransaction }) {
  const describe = useDescribeTransaction();
  return <div className="operator-wide">{describe(transaction)}</div>;
}
