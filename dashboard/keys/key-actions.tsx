/** What can be done with a key in its row. */
import { Group } from '@mantine/core';
import { IconPencil, IconPlayerPause, IconPlayerPlay, IconTrash } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmDialog } from '../app/components/dialogs/confirm-dialog.tsx';
import { notifyDone, notifyFailed } from '../app/components/notify.ts';
import { RowAction } from '../app/components/row-action.tsx';
import { useDescribeError } from '../app/errors/error-state.tsx';
import { useTexts } from '../app/i18n/use-texts.ts';
import { EditKeyDialog } from './edit-key-dialog.tsx';
import { keysTexts } from './keys-texts.ts';
import { changeKey, deleteKey, type Key, type KeyKind } from './queries.ts';
import { useRefreshKeys } from './use-refresh-keys.ts';

export function KeyActions({ kind, value }: { kind: KeyKind; value: Key }) {
  const t = useTexts(keysTexts);
  const describeError = useDescribeError();
  const [open, setOpen] = useState<'edit' | 'delete'>();
  const { id, name, prefix, state } = value;
  const refresh = useRefreshKeys(kind);
  const isInactive = state === 'inactive';
  const toggle = useMutation({
    mutationFn: () => changeKey(kind, id, { active: isInactive }),
    onSuccess: async () => {
      await refresh();
      notifyDone(t(isInactive ? 'activated' : 'deactivated', { name }));
    },
    onError: (error) => notifyFailed(describeError(error)),
  });
  const remove = async () => {
    await deleteKey(kind, id);
    await refresh();
    notifyDone(t('deleted', { name }));
  };
  return (
    <Group gap={2} justify="flex-end" wrap="nowrap">
      <RowAction label={t('edit')} icon={IconPencil} onClick={() => setOpen('edit')} />
      {state === 'expired' ? null : (
        <RowAction
          label={t(isInactive ? 'activate' : 'deactivate')}
          icon={isInactive ? IconPlayerPlay : IconPlayerPause}
          isBusy={toggle.isPending}
          onClick={() => toggle.mutate()}
        />
      )}
      <RowAction label={t('delete')} icon={IconTrash} onClick={() => setOpen('delete')} />
      <EditKeyDialog kind={kind} value={value} opened={open === 'edit'} onClose={() => setOpen(undefined)} />
      <ConfirmDialog
        opened={open === 'delete'}
        onClose={() => setOpen(undefined)}
        title={t('deleteTitle', { name })}
        text={t('deleteText', { prefix })}
        confirmLabel={t('deleteKey')}
        onConfirm={remove}
      />
    </Group>
  );
}
