/** Who belongs to the organization, with which role, and since when. */
import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type Column, DataTable } from '../../app/components/data-table.tsx';
import { Status } from '../../app/components/status.tsx';
import { commonTexts } from '../../app/i18n/common-texts.ts';
import { roleTexts } from '../../app/i18n/role-texts.ts';
import { useTexts } from '../../app/i18n/use-texts.ts';
import { Instant } from '../../app/time/instant.tsx';
import { organizationTexts } from '../organization-texts.ts';
import { type Member, membersQuery } from '../queries.ts';
import { MemberActions } from './member-actions.tsx';

export function MemberTable() {
  const t = useTexts(organizationTexts);
  const query = useQuery(membersQuery);
  return (
    <DataTable
      label={t('members')}
      columns={useColumns(query.data?.length === 1)}
      rows={query.data}
      rowKey={({ id }) => id}
      query={query}
      empty={null}
      skeletonRows={3}
    />
  );
}

/** Who is alone has no one to leave it to. */
function useColumns(isAlone: boolean): Column<Member>[] {
  const t = useTexts(organizationTexts);
  const common = useTexts(commonTexts);
  const roles = useTexts(roleTexts);
  return [
    {
      id: 'member',
      header: t('member'),
      render: ({ email, displayName }) => (
        <Stack gap={0} miw={0}>
          <Text inherit fw={500}>
            {displayName ?? email}
          </Text>
          {displayName === null ? null : (
            <Text inherit c="dimmed">
              {email}
            </Text>
          )}
        </Stack>
      ),
    },
    { id: 'role', header: t('role'), render: ({ role }) => roles(role) },
    {
      id: 'two-factor',
      header: t('twoFactor'),
      render: ({ twoFactor }) => (
        <Status tone={twoFactor ? 'good' : 'neutral'}>{t(twoFactor ? 'hasTwoFactor' : 'noTwoFactor')}</Status>
      ),
    },
    { id: 'joined', header: t('joined'), render: ({ joinedAt }) => <Instant value={joinedAt} as="day" /> },
    {
      id: 'seen',
      header: t('lastSeen'),
      render: ({ lastSeenAt }) =>
        lastSeenAt === null ? common('never') : <Instant value={lastSeenAt} as="relative" />,
    },
    {
      id: 'actions',
      header: t('actions'),
      isActions: true,
      render: (member) => (isAlone ? null : <MemberActions member={member} />),
    },
  ];
}
