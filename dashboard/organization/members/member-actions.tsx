/** What can be done with a member in their row: change their role or remove them, or leave in one's own. */
import { Group } from '@mantine/core';
import { IconDoorExit, IconUserCog, IconUserMinus } from '@tabler/icons-react';
import { useState } from 'react';
import { RowAction } from '../../app/components/row-action.tsx';
import { useTexts } from '../../app/i18n/use-texts.ts';
import { useMay } from '../../app/session/permissions.ts';
import { useUser } from '../../app/session/session.ts';
import { organizationTexts } from '../organization-texts.ts';
import type { Member } from '../queries.ts';
import { useMayGive } from '../role-field.tsx';
import { ChangeRoleDialog } from './change-role-dialog.tsx';
import { LeaveDialog } from './leave-dialog.tsx';
import { RemoveDialog } from './remove-dialog.tsx';

export function MemberActions({ member }: { member: Member }) {
  const t = useTexts(organizationTexts);
  const [open, setOpen] = useState<'role' | 'remove' | 'leave'>();
  const isOwn = useUser()?.id === member.id;
  const mayManage = useMay('members:manage');
  const mayGive = useMayGive();
  const close = () => setOpen(undefined);
  if (isOwn) {
    return (
      <>
        <RowAction label={t('leave')} icon={IconDoorExit} onClick={() => setOpen('leave')} />
        <LeaveDialog opened={open === 'leave'} onClose={close} />
      </>
    );
  }
  if (!mayManage || !mayGive(member.role)) return null;
  return (
    <Group gap={2} justify="flex-end" wrap="nowrap">
      <RowAction label={t('changeRole')} icon={IconUserCog} onClick={() => setOpen('role')} />
      <RowAction label={t('remove')} icon={IconUserMinus} onClick={() => setOpen('remove')} />
      <ChangeRoleDialog member={member} opened={open === 'role'} onClose={close} />
      <RemoveDialog member={member} opened={open === 'remove'} onClose={close} />
    </Group>
  );
}
