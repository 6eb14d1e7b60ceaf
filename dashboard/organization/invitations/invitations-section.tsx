/** Who is invited and has not joined yet. */
import { Group, Text, Title } from '@mantine/core';
import { IconMailForward, IconTrash } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type Column, DataTable } from '../../app/components/data-table.tsx';
import { ConfirmDialog } from '../../app/components/dialogs/confirm-dialog.tsx';
import { notifyDone, notifyFailed } from '../../app/components/notify.ts';
import { RowAction } from '../../app/components/row-action.tsx';
import { Status } from '../../app/components/status.tsx';
import { useDescribeError } from '../../app/errors/error-state.tsx';
import { roleTexts } from '../../app/i18n/role-texts.ts';
import { useTexts } from '../../app/i18n/use-texts.ts';
import { useMay } from '../../app/session/permissions.ts';
import { Instant } from '../../app/time/instant.tsx';
import { organizationTexts } from '../organization-texts.ts';
import { type Invitation, invitationsQuery, resendInvitation, revokeInvitation } from '../queries.ts';
import { useMayGive } from '../role-field.tsx';

export function InvitationsSection() {
  const t = useTexts(organizationTexts);
  const query = useQuery(invitationsQuery);
  const empty = (
    <Text size="sm" c="dimmed">
      {t('noInvitations')}
    </Text>
  );
  return (
    <section>
      <Title order={2} mb="sm">
        {t('invitations')}
      </Title>
      <DataTable
        label={t('invitations')}
        columns={useColumns()}
        rows={query.data}
        rowKey={({ id }) => id}
        query={query}
        empty={empty}
        skeletonRows={1}
      />
    </section>
  );
}

function useColumns(): Column<Invitation>[] {
  const t = useTexts(organizationTexts);
  const roles = useTexts(roleTexts);
  return [
    {
      id: 'email',
      header: t('email'),
      render: ({ email }) => (
        <Text inherit fw={500}>
          {email}
        </Text>
      ),
    },
    { id: 'role', header: t('role'), render: ({ role }) => roles(role) },
    { id: 'sent', header: t('sent'), render: ({ createdAt }) => <Instant value={createdAt} as="day" /> },
    { id: 'expires', header: t('expires'), render: ({ expiresAt }) => <Expiry expiresAt={expiresAt} /> },
    {
      id: 'actions',
      header: t('actions'),
      isActions: true,
      render: (invitation) => <InvitationActions invitation={invitation} />,
    },
  ];
}

function Expiry({ expiresAt }: { expiresAt: string }) {
  const t = useTexts(organizationTexts);
  if (Date.parse(expiresAt) <= Date.now()) return <Status tone="warning">{t('expired')}</Status>;
  return <Instant value={expiresAt} />;
}

function InvitationActions({ invitation: { id, email, role } }: { invitation: Invitation }) {
  const t = useTexts(organizationTexts);
  const queries = useQueryClient();
  const describe = useDescribeError();
  const [isRevoking, setRevoking] = useState(false);
  const mayManage = useMay('members:manage');
  const mayGive = useMayGive();
  const resend = useMutation({
    mutationFn: () => resendInvitation(id),
    onSuccess: () => notifyDone(t('invited', { email })),
    onError: (error) => notifyFailed(describe(error)),
    // Someone may have accepted or revoked it.
    onSettled: () => queries.invalidateQueries(invitationsQuery),
  });
  const revoke = async () => {
    await revokeInvitation(id);
    await queries.invalidateQueries(invitationsQuery);
    notifyDone(t('revoked', { email }));
  };
  if (!mayManage || !mayGive(role)) return null;
  return (
    <Group gap={2} justify="flex-end" wrap="nowrap">
      <RowAction
        label={t('sendAgain')}
        icon={IconMailForward}
        isBusy={resend.isPending}
        onClick={() => resend.mutate()}
      />
      <RowAction label={t('revoke')} icon={IconTrash} onClick={() => setRevoking(true)} />
      <ConfirmDialog
        opened={isRevoking}
        onClose={() => setRevoking(false)}
        title={t('revokeTitle', { email })}
        text={t('revokeText')}
        confirmLabel={t('revokeInvitation')}
        onConfirm={revoke}
      />
    </Group>
  );
}
