/** Everything that changed the account's balance. */
import { IconReceipt } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type Column, DataTable } from '../../app/components/data-table.tsx';
import { EmptyState } from '../../app/components/empty-state.tsx';
import { Pager } from '../../app/components/pager.tsx';
import { type Translate, useTexts } from '../../app/i18n/use-texts.ts';
import { Usd } from '../../app/money/money.tsx';
import { Instant } from '../../app/time/instant.tsx';
import { accountTexts } from './account-texts.ts';
import { type AccountTransaction, accountTransactionsQuery } from './queries.ts';

interface TransactionTableProps {
  readonly accountId: number;
  readonly cursor: string | undefined;
}

export function TransactionTable({ accountId, cursor }: TransactionTableProps) {
  const t = useTexts(accountTexts);
  const query = useQuery(accountTransactionsQuery(accountId, cursor));
  return (
    <DataTable
      label={t('transactions')}
      columns={columnsOf(t)}
      rows={query.data?.rows}
      rowKey={({ id }) => id}
      query={query}
      empty={<EmptyState icon={IconReceipt} title={t('noTransactions')} text={t('noTransactionsText')} />}
      pager={<Pager cursor={cursor} nextCursor={query.data?.nextCursor} />}
    />
  );
}

function columnsOf(t: Translate<NonNullable<(typeof accountTexts)['key']>>): Column<AccountTransaction>[] {
  return [
    { id: 'time', header: t('time'), render: ({ createdAt }) => <Instant value={createdAt} /> },
    { id: 'type', header: t('type'), render: ({ type }) => t(type) },
    {
      id: 'description',
      header: t('descriptionOf'),
      render: ({ description }) => <div className="operator-wide">{description ?? '—'}</div>,
    },
    { id: 'amount', header: t('amount'), align: 'right', render: (row) => <Usd amount={row.amountUsd} signed /> },
  ];
}
