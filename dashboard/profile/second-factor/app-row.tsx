/** The authenticator app: how it is set up, and removed. */
import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmDialog } from '../../app/components/dialogs/confirm-dialog.tsx';
import { notifyDone } from '../../app/components/notify.ts';
import { useLanguage, useTexts } from '../../app/i18n/use-texts.ts';
import { formatDayOf } from '../../app/time/format-time.ts';
import { ActionRow } from '../action-row.tsx';
import { AppDialog } from './app-dialog.tsx';
import { beginApp, removeApp, type SecondFactors } from './queries.ts';
import { secondFactorTexts } from './second-factor-texts.ts';
import { type PartProps, useReportFailure } from './use-confirmation.tsx';

export function AppRow({ factors, confirmation, onChanged }: { factors: SecondFactors } & PartProps) {
  const t = useTexts(secondFactorTexts);
  const language = useLanguage();
  const [isRemoving, setRemoving] = useState(false);
  const begin = useMutation({ mutationFn: () => confirmation.confirmed(beginApp), onError: useReportFailure() });
  const { appSince, passkeys } = factors;
  const remove = async () => {
    await confirmation.confirmed(removeApp);
    await onChanged();
    notifyDone(t('appRemoved'));
  };
  return (
    <ActionRow
      title={t('app')}
      text={appSince === null ? t('appText') : t('appSince', { day: formatDayOf(appSince, language) })}
    >
      {appSince === null ? (
        <Button loading={begin.isPending} onClick={() => begin.mutate()}>
          {t('setUpApp')}
        </Button>
      ) : (
        <Button variant="default" onClick={() => setRemoving(true)}>
          {t('remove')}
        </Button>
      )}
      <AppDialog app={begin.data} confirmation={confirmation} onChanged={onChanged} onClose={begin.reset} />
      <ConfirmDialog
        opened={isRemoving && !confirmation.isAsking}
        onClose={() => setRemoving(false)}
        title={t('removeAppTitle')}
        text={t(passkeys.length === 0 ? 'removeLastText' : 'removeText')}
        confirmLabel={t('removeApp')}
        onConfirm={remove}
      />
    </ActionRow>
  );
}
