/** Leaves the organization, which ends the session. */
import { ConfirmDialog } from '../../app/components/dialogs/confirm-dialog.tsx';
import { notifyDone } from '../../app/components/notify.ts';
import { useTexts } from '../../app/i18n/use-texts.ts';
import { useOrganization } from '../../app/session/permissions.ts';
import { session, useUser } from '../../app/session/session.ts';
import { organizationTexts } from '../organization-texts.ts';
import { removeMember } from '../queries.ts';

export function LeaveDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const t = useTexts(organizationTexts);
  const user = useUser();
  const { name = '' } = useOrganization() ?? {};
  if (user === undefined) return null;
  const leave = async () => {
    await removeMember(user.id);
    await session.signOut();
    notifyDone(t('left', { name }));
  };
  return (
    <ConfirmDialog
      opened={opened}
      onClose={onClose}
      title={t('leaveTitle', { name })}
      text={t('leaveText')}
      confirmLabel={t('leaveOrganization')}
      onConfirm={leave}
    />
  );
}
