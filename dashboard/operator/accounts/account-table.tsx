/** The accounts that were found. */
import { Text } from '@mantine/core';
import { IconAddressBook, IconSearchOff } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type Column, DataTable } from '../../app/components/data-table.tsx';
import { EmptyState } from '../../app/components/empty-state.tsx';
import { Pager } from '../../app/components/pager.tsx';
import { type Translate, useTexts } from '../../app/i18n/use-texts.ts';
import { AlignedUsd } from '../../app/money/aligned-usd.tsx';
import { Instant } from '../../app/time/instant.tsx';
import { AccountState } from './account-state.tsx';
import { accountsTexts } from './accounts-texts.ts';
import { type AccountsSearch, accountsQuery, type FoundAccount } from './queries.ts';

type T = Translate<NonNullable<(typeof accountsTexts)['key']>>;

export function AccountTable({ search }: { search: AccountsSearch }) {
  const t = useTexts(accountsTexts);
  const query = useQuery(accountsQuery(search));
  const isSearch = search.search !== undefined || search.state !== undefined;
  const empty = isSearch ? (
    <EmptyState icon={IconSearchOff} title={t('nothingFound')} text={t('nothingFoundText')} />
  ) : (
    <EmptyState icon={IconAddressBook} title={t('emptyTitle')} text={t('emptyText')} />
  );
  return (
    <DataTable
      label={t('title')}
      columns={columnsOf(t, query.data?.rows ?? [])}
      rows={query.data?.rows}
      rowKey={({ id }) => id}
      query={query}
      empty={empty}
      pager={<Pager cursor={search.cursor} nextCursor={query.data?.nextCursor} />}
    />
  );
}

function columnsOf(t: T, accounts: readonly FoundAccount[]): Column<FoundAccount>[] {
  const spendings = accounts.map(({ spent }) => spent);
  const balances = accounts.map(({ balance }) => balance);
  return [
    {
      id: 'account',
      header: t('account'),
      render: ({ id, email }) => (
        <div className="operator-cell">
          <Link to="/operator/accounts/$id" params={{ id: String(id) }} className="operator-link">
            {email ?? t('number', { id })}
          </Link>
          <Text span size="xs" c="dimmed">
            {t('number', { id })}
          </Text>
        </div>
      ),
    },
    {
      id: 'company',
      header: t('company'),
      render: ({ companyName, displayName, inn }) => (
        <div className="operator-cell">
          <span>{companyName ?? displayName ?? '—'}</span>
          {inn === null ? null : (
            <Text span size="xs" c="dimmed">
              {t('inn', { inn })}
            </Text>
          )}
        </div>
      ),
    },
    { id: 'state', header: t('state'), render: (account) => <AccountState account={account} /> },
    { id: 'since', header: t('since'), render: ({ createdAt }) => <Instant value={createdAt} as="day" /> },
    {
      id: 'spent',
      header: t('spent'),
      align: 'right',
      render: ({ spent }) => <AlignedUsd amount={spent} among={spendings} />,
    },
    {
      id: 'balance',
      header: t('balance'),
      align: 'right',
      render: ({ balance }) => <AlignedUsd amount={balance} among={balances} />,
    },
  ];
}
