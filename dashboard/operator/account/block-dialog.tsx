/** Blocks an account, or lifts the block. */
import { useQueryClient } from '@tanstack/react-query';
import { Dialog } from '../../app/components/dialogs/dialog.tsx';
import { notifyDone } from '../../app/components/notify.ts';
import { useTexts } from '../../app/i18n/use-texts.ts';
import { type AccountDialogProps, nameOf } from './account-dialog.ts';
import { accountTexts } from './account-texts.ts';
import { blockAccount, refreshAccount, unblockAccount } from './queries.ts';
import { ReasonForm } from './reason-form.tsx';

export function BlockDialog({ account, opened, onClose }: AccountDialogProps) {
  const t = useTexts(accountTexts);
  const queries = useQueryClient();
  const { id } = account;
  const name = nameOf(account);
  const isBlocked = account.blockedAt !== null;
  const confirm = async (reason: string) => {
    await (isBlocked ? unblockAccount(id, reason) : blockAccount(id, reason));
    onClose();
    notifyDone(t(isBlocked ? 'unblockDone' : 'blockDone', { name }));
    await refreshAccount(queries, id);
  };
  return (
    <Dialog opened={opened} onClose={onClose} title={t(isBlocked ? 'unblockTitle' : 'blockTitle', { name })}>
      <ReasonForm
        text={t(isBlocked ? 'unblockText' : 'blockText')}
        confirmLabel={t(isBlocked ? 'unblockAccount' : 'blockAccount')}
        isDestructive={!isBlocked}
        onConfirm={confirm}
        onCancel={onClose}
      />
    </Dialog>
  );
}
