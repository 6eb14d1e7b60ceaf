/** What can be done with an alert address in its row. */
import { Button, Group } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmDialog } from '../app/components/dialogs/confirm-dialog.tsx';
import { notifyDone, notifyFailed } from '../app/components/notify.ts';
import { useDescribeError } from '../app/errors/error-state.tsx';
import { useTexts } from '../app/i18n/use-texts.ts';
import { alertsTexts } from './alerts-texts.ts';
import { type AlertAddress, addAddress, addressesQuery, removeAddress } from './queries.ts';

export function AddressActions({ value: { id, email, status } }: { value: AlertAddress }) {
  const t = useTexts(alertsTexts);
  const queries = useQueryClient();
  const describe = useDescribeError();
  const [isRemoving, setRemoving] = useState(false);
  const again = useMutation({
    mutationFn: () => addAddress(email),
    onSuccess: async () => {
      await queries.invalidateQueries(addressesQuery);
      notifyDone(t('linkSent', { email }));
    },
    onError: (error) => notifyFailed(describe(error)),
  });
  const remove = async () => {
    await removeAddress(id);
    await queries.invalidateQueries(addressesQuery);
    notifyDone(t('removed', { email }));
  };
  return (
    <Group gap={4} justify="flex-end">
      {status === 'active' ? null : (
        <Button
          variant="subtle"
          size="compact-sm"
          loading={again.isPending}
          onClick={() => again.mutate()}
          aria-label={`${t('sendAgain')}: ${email}`}
        >
          {t('sendAgain')}
        </Button>
      )}
      <Button
        variant="subtle"
        color="gray"
        size="compact-sm"
        onClick={() => setRemoving(true)}
        aria-label={`${t('remove')}: ${email}`}
      >
        {t('remove')}
      </Button>
      <ConfirmDialog
        opened={isRemoving}
        onClose={() => setRemoving(false)}
        title={t('removeTitle', { email })}
        text={t('removeText')}
        confirmLabel={t('removeAddress')}
        onConfirm={remove}
      />
    </Group>
  );
}
