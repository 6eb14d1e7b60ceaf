/** The account as a whole: all its data as a file, and its deletion. */
import { Button, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { download } from '../app/api/download.ts';
import type { Profile } from '../app/api/shared-queries.ts';
import { notifyDone } from '../app/components/notify.ts';
import { Section } from '../app/components/section.tsx';
import { FormError } from '../app/errors/form-error.tsx';
import { useLanguage, useTexts } from '../app/i18n/use-texts.ts';
import { formatCount, formatDayOf } from '../app/time/format-time.ts';
import { ActionRow } from './action-row.tsx';
import { DeleteAccountDialog } from './delete-account-dialog.tsx';
import { profileTexts } from './profile-texts.ts';

export function AccountSection({ profile }: { profile: Profile }) {
  const t = useTexts(profileTexts);
  const language = useLanguage();
  const [isDeleting, setDeleting] = useState(false);
  return (
    <Section title={t('account')} description={t('accountText', { day: formatDayOf(profile.createdAt, language) })}>
      <Stack gap="lg">
        <Export />
        <ActionRow title={t('deleteAccount')} text={t('deleteHint')}>
          <Button variant="default" c="var(--mantine-color-error)" onClick={() => setDeleting(true)}>
            {t('deleteAccount')}
          </Button>
        </ActionRow>
      </Stack>
      <DeleteAccountDialog email={profile.email} opened={isDeleting} onClose={() => setDeleting(false)} />
    </Section>
  );
}

function Export() {
  const t = useTexts(profileTexts);
  const language = useLanguage();
  const [bytes, setBytes] = useState(0);
  const save = useMutation({
    mutationFn: () => download('/api/account/export', { onBytes: setBytes }),
    onSuccess: () => notifyDone(t('exported')),
    onSettled: () => setBytes(0),
  });
  return (
    <Stack gap="sm">
      <ActionRow title={t('export')} text={t('exportText')}>
        <Button variant="default" loading={save.isPending} onClick={() => save.mutate()}>
          {t('exportButton')}
        </Button>
      </ActionRow>
      {save.isPending && bytes > 0 ? (
        <Text size="sm" c="dimmed" aria-live="polite">
          {t('exporting', { size: formatCount(Math.ceil(bytes / 1_000), language) })}
        </Text>
      ) : null}
      <FormError error={save.error} />
    </Stack>
  );
}
