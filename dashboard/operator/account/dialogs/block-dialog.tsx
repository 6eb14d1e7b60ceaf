/** Blocks an account, or lifts the block: what was chosen, even if a colleague does the same at that time. */
import { useQueryClient } from '@tanstack/react-query';
import { Dialog } from '../../../app/components/dialogs/dialog.tsx';
import { notifyDone } from '../../../app/components/notify.ts';
import { useTexts } from '../../../app/i18n/use-texts.ts';
import { accountTexts } from '../account-texts.ts';
import { type AccountDialogProps, blockAccount, nameOf, refreshAccount, unblockAccount } from '../queries.ts';
import { ReasonForm } from './reason-form.tsx';

type BlockDialogProps = AccountDialogProps & { readonly kind: 'block' | 'unblock' };

const changes = { block: blockAccount, unblock: unblockAccount } as const;

export function BlockDialog({ kind, account, opened, onClose }: BlockDialogProps) {
  const t = useTexts(accountTexts);
  const queries = useQueryClient();
  const { id } = account;
  const name = nameOf(account);
  const confirm = async (reason: string) => {
    await changes[kind](id, reason);
    onClose();
    notifyDone(t(`${kind}Done`, { name }));
    await refreshAccount(queries, id);
  };
  return (
    <Dialog opened={opened} onClose={onClose} title={t(`${kind}Title`, { name })}>
      <ReasonForm
        text={t(`${kind}Text`)}
        confirmLabel={t(`${kind}Account`)}
        isDestructive={kind === 'block'}
        onConfirm={confirm}
        onCancel={onClose}
      />
    </Dialog>
  );
}
