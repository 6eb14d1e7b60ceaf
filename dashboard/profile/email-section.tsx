/** The address to sign in with, and its change: pending until the link that is mailed to the new address is followed. */
import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type Profile, profileQuery } from '../app/api/shared-queries.ts';
import { notifyDone, notifyFailed } from '../app/components/notify.ts';
import { Status } from '../app/components/status.tsx';
import { useDescribeError } from '../app/errors/error-state.tsx';
import { useTexts } from '../app/i18n/use-texts.ts';
import { ChangeEmailDialog } from './change-email-dialog.tsx';
import { profileTexts } from './profile-texts.ts';
import { changeProfile } from './queries.ts';
import { SendLink } from './send-link.tsx';

export function EmailSection({ profile }: { profile: Profile }) {
  const t = useTexts(profileTexts);
  const [isChanging, setChanging] = useState(false);
  const { email, emailVerified, pendingEmail } = profile;
  return (
    <Stack>
      <Group justify="space-between" gap="sm">
        <Stack gap={2} miw={0}>
          <Text fw={500}>{email}</Text>
          <Text size="sm" component="div">
            <Status tone={emailVerified ? 'good' : 'warning'}>{t(emailVerified ? 'verified' : 'notVerified')}</Status>
          </Text>
        </Stack>
        <Button variant="default" onClick={() => setChanging(true)}>
          {t('changeEmail')}
        </Button>
      </Group>
      {pendingEmail === null ? null : <PendingChange email={email} pendingEmail={pendingEmail} />}
      {pendingEmail === null && !emailVerified ? (
        <Alert variant="outline" color="yellow" role="status">
          <Text size="sm" mb="sm">
            {t('verifyText', { email })}
          </Text>
          <SendLink label={t('sendLink')} />
        </Alert>
      ) : null}
      <ChangeEmailDialog opened={isChanging} onClose={() => setChanging(false)} />
    </Stack>
  );
}

function PendingChange({ email, pendingEmail }: { email: string; pendingEmail: string }) {
  const t = useTexts(profileTexts);
  const queries = useQueryClient();
  const describe = useDescribeError();
  const cancel = useMutation({
    // The current address cancels the change.
    mutationFn: () => changeProfile({ email }),
    onSuccess: (profile) => {
      queries.setQueryData(profileQuery.queryKey, profile);
      notifyDone(t('changeCancelled', { email }));
    },
    onError: (error) => notifyFailed(describe(error)),
  });
  return (
    <Alert variant="outline" color="yellow" role="status">
      <Text size="sm" fw={600} mb={4}>
        {t('pendingTitle', { email: pendingEmail })}
      </Text>
      <Text size="sm" mb="sm">
        {t('pendingText', { email })}
      </Text>
      <Group gap="xs">
        <SendLink label={t('sendAgain')} />
        <Button variant="default" size="xs" loading={cancel.isPending} onClick={() => cancel.mutate()}>
          {t('cancelChange')}
        </Button>
      </Group>
    </Alert>
  );
}
