/**
 * Deletes an account.
 *
 * Invariant: only the balance that is named here is given up. If there is another one by then, nothing is deleted, and
 * the dialog names that one.
 */
import { List, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError } from '../../../app/api/api-error.ts';
import { Dialog } from '../../../app/components/dialogs/dialog.tsx';
import { notifyDone } from '../../../app/components/notify.ts';
import { useLanguage, useTexts } from '../../../app/i18n/use-texts.ts';
import { formatUsd } from '../../../app/money/format-money.ts';
import { accountTexts } from '../account-texts.ts';
import { type AccountDialogProps, accountQuery, deleteAccount, nameOf, refreshAccount } from '../queries.ts';
import { ReasonForm } from './reason-form.tsx';

export function DeleteDialog({ account, opened, onClose }: AccountDialogProps) {
  const t = useTexts(accountTexts);
  return (
    <Dialog opened={opened} onClose={onClose} title={t('deleteTitle', { name: nameOf(account) })}>
      <DeleteForm account={account} onClose={onClose} />
    </Dialog>
  );
}

function DeleteForm({ account, onClose }: Omit<AccountDialogProps, 'opened'>) {
  const t = useTexts(accountTexts);
  const language = useLanguage();
  const queries = useQueryClient();
  const { id } = account;
  // The page keeps fetching the account; what is confirmed stays as it was read.
  const [{ balance, keys }, setShown] = useState(account);
  const confirm = async (reason: string) => {
    try {
      await deleteAccount(id, { reason, balance });
    } catch (error) {
      await refreshAccount(queries, id);
      const isOther = error instanceof ApiError && error.code === 'balance_left';
      if (isOther) setShown(queries.getQueryData(accountQuery(id).queryKey) ?? account);
      throw error;
    }
    onClose();
    notifyDone(t('deleteDone', { name: nameOf(account) }));
    await refreshAccount(queries, id);
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
    <ReasonForm text={text} confirmLabel={t('deleteAccount')} isDestructive onConfirm={confirm} onCancel={onClose} />
  );
}
