/** Removes a member, after asking what becomes of the keys that they have created. */
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmDialog } from '../../app/components/dialogs/confirm-dialog.tsx';
import { notifyDone } from '../../app/components/notify.ts';
import { useTexts } from '../../app/i18n/use-texts.ts';
import { keysQuery } from '../../keys/queries.ts';
import { organizationTexts } from '../organization-texts.ts';
import { type KeysFate, type Member, membersQuery, removeMember } from '../queries.ts';
import { KeysField } from './keys-field.tsx';

interface RemoveDialogProps {
  readonly member: Member;
  readonly opened: boolean;
  readonly onClose: () => void;
}

export function RemoveDialog({ member: { id, email, displayName }, opened, onClose }: RemoveDialogProps) {
  const t = useTexts(organizationTexts);
  const queries = useQueryClient();
  const [keys, setKeys] = useState<KeysFate>('deactivate');
  const name = displayName ?? email;
  const remove = async () => {
    await removeMember(id, keys);
    await Promise.all([queries.invalidateQueries(membersQuery), queries.invalidateQueries(keysQuery('proxy'))]);
    notifyDone(t('removed', { name }));
  };
  return (
    <ConfirmDialog
      opened={opened}
      onClose={onClose}
      title={t('removeTitle', { name })}
      text={t('removeText')}
      confirmLabel={t('removeMember')}
      onConfirm={remove}
    >
      <KeysField value={keys} onChange={setKeys} />
    </ConfirmDialog>
  );
}
