/** Deletes an account. It names the balance that is given up; if that changes meanwhile, nothing is deleted. */
import { List, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { Dialog } from '../../app/components/dialogs/dialog.tsx';
import { notifyDone } from '../../app/components/notify.ts';
import { useLanguage, useTexts } from '../../app/i18n/use-texts.ts';
import { formatUsd } from '../../app/money/format-money.ts';
import { type AccountDialogProps, nameOf } from './account-dialog.ts';
import { accountTexts } from './account-texts.ts';
import { deleteAccount, refreshAccount } from './queries.ts';
import { ReasonForm } from './reason-form.tsx';

export function DeleteDialog({ account, opened, onClose }: AccountDialogProps) {
  const t = useTexts(accountTexts);
  const language = useLanguage();
  const queries = useQueryClient();
  const { id, balance, keys } = account;
  const name = nameOf(account);
  const confirm = async (reason: string) => {
    // After a refusal too: it may name another balance.
    await deleteAccount(id, { reason, balance }).finally(() => void refreshAccount(queries, id));
    onClose();
    notifyDone(t('deleteDone', { name }));
  };
  const text = (
    <Stack gap="xs">
      <List size="sm" spacing={4}>
        {balance === '0' ? null : (
          <List.Item>
            <Text span inherit fw={600}>
              {t('deleteBalance', { amount: formatUsd(balance, language) })}
            </Text>
          </List.Item>
        )}
        <List.Item>{t('deleteKeys', { count: keys.length })}</List.Item>
        <List.Item>{t('deletePersonal')}</List.Item>
      </List>
      {t('deleteFinal')}
    </Stack>
  );
  return (
    <Dialog opened={opened} onClose={onClose} title={t('deleteTitle', { name })}>
      <ReasonForm text={text} confirmLabel={t('deleteAccount')} isDestructive onConfirm={confirm} onCancel={onClose} />
    </Dialog>
  );
}
