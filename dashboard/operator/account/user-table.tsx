/** Who can sign in to the account. */
import { Text } from '@mantine/core';
import { IconUser } from '@tabler/icons-react';
import { type Column, DataTable, loadedQuery } from '../../app/components/data-table.tsx';
import { EmptyState } from '../../app/components/empty-state.tsx';
import { Status } from '../../app/components/status.tsx';
import { type Translate, useTexts } from '../../app/i18n/use-texts.ts';
import { Instant } from '../../app/time/instant.tsx';
import { accountTexts } from './account-texts.ts';
import type { AccountUser } from './queries.ts';

export function UserTable({ users }: { users: readonly AccountUser[] }) {
  const t = useTexts(accountTexts);
  return (
    <DataTable
      label={t('users')}
      columns={columnsOf(t)}
      rows={users}
      rowKey={({ id }) => id}
      query={loadedQuery}
      empty={<EmptyState icon={IconUser} title={t('noUsers')} text={t('noUsersText')} />}
    />
  );
}

function columnsOf(t: Translate<NonNullable<(typeof accountTexts)['key']>>): Column<AccountUser>[] {
  return [
    {
      id: 'user',
      header: t('email'),
      render: ({ email, displayName }) => (
        <div className="operator-cell">
          <Text span inherit fw={500}>
            {email}
          </Text>
          <Text span size="xs" c="dimmed">
            {displayName}
          </Text>
        </div>
      ),
    },
    { id: 'role', header: t('role'), render: ({ role }) => (role === 'operator' ? t('operator') : t('customer')) },
    {
      id: 'verified',
      header: t('emailState'),
      render: ({ emailVerified }) => (
        <Status tone={emailVerified ? 'good' : 'warning'}>{t(emailVerified ? 'verified' : 'unverified')}</Status>
      ),
    },
    { id: 'since', header: t('since'), render: ({ createdAt }) => <Instant value={createdAt} as="day" /> },
  ];
}
