/** One account: its balance, keys, requests and transactions, and what an operator can do about it. */
import { Anchor, Skeleton, Stack, Tabs } from '@mantine/core';
import { IconArrowLeft } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { createLazyRoute, Link } from '@tanstack/react-router';
import { Loaded } from '../../app/components/loaded.tsx';
import { PageHeader } from '../../app/components/page-header.tsx';
import { useTexts } from '../../app/i18n/use-texts.ts';
import { choiceOf, present } from '../../app/router/search.ts';
import { AccountActions } from './account-actions.tsx';
import { AccountSummary } from './account-summary.tsx';
import { accountTexts } from './account-texts.ts';
import { AccountTiles } from './account-tiles.tsx';
import { KeyTable } from './key-table.tsx';
import { type Account, type AccountTab, accountQuery, accountTabs } from './queries.ts';
import { ReceiptPanel } from './receipt-panel.tsx';
import { RequestTable } from './request-table.tsx';
import { TransactionTable } from './transaction-table.tsx';
import { UserTable } from './user-table.tsx';

const pollingMs = 10_000;

export const accountRoute = createLazyRoute('/user/operator/operator/accounts/$id')({ component: AccountPage });

function AccountPage() {
  const t = useTexts(accountTexts);
  const id = Number(accountRoute.useParams().id);
  // Live events tell of the operator's own account only.
  const query = useQuery({ ...accountQuery(id), refetchInterval: pollingMs });
  const account = query.data;
  const title = account?.email ?? t('number', { id });
  return (
    <>
      <Anchor component={Link} to="/operator/accounts" size="sm" className="operator-back">
        <IconArrowLeft size={14} aria-hidden />
        {t('accounts')}
      </Anchor>
      <PageHeader
        title={title}
        description={t('number', { id })}
        actions={account && <AccountActions account={account} />}
      />
      <Loaded query={query} skeleton={<AccountSkeleton />}>
        {(loaded) => (
          <Stack gap="lg">
            <AccountTiles account={loaded} />
            <AccountSummary account={loaded} />
            <AccountTabs account={loaded} />
          </Stack>
        )}
      </Loaded>
    </>
  );
}

function AccountTabs({ account }: { account: Account }) {
  const t = useTexts(accountTexts);
  const { tab = 'keys', type, cursor, request } = accountRoute.useSearch();
  const navigate = accountRoute.useNavigate();
  const open = (value: string | null) =>
    void navigate({ search: present({ tab: choiceOf({ value }, 'value', accountTabs) }) });
  const panels: Record<AccountTab, () => React.ReactNode> = {
    keys: () => <KeyTable keys={account.keys} />,
    requests: () => <RequestTable accountId={account.id} cursor={cursor} />,
    transactions: () => (
      <TransactionTable
        accountId={account.id}
        search={{ type, cursor }}
        onType={(next) => void navigate({ search: present({ tab, type: next }) })}
      />
    ),
    users: () => <UserTable users={account.users} />,
  };
  return (
    <>
      <Tabs value={tab} onChange={open} keepMounted={false}>
        <Tabs.List mb="md" className="operator-tabs">
          {accountTabs.map((name) => (
            <Tabs.Tab key={name} value={name}>
              {t(name)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value={tab}>{panels[tab]()}</Tabs.Panel>
      </Tabs>
      <ReceiptPanel
        requestId={request}
        onClose={() => void navigate({ search: present({ tab, type, cursor }), resetScroll: false })}
      />
    </>
  );
}

function AccountSkeleton() {
  return (
    <Stack gap="lg">
      <div className="tiles">
        {[1, 2, 3, 4].map((tile) => (
          <Skeleton key={tile} height={116} radius={12} />
        ))}
      </div>
      <Skeleton height={172} radius={12} />
      <Skeleton height={240} />
    </Stack>
  );
}
