/** Asks for the new address and the password. */
import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { profileQuery } from '../app/api/shared-queries.ts';
import { Dialog } from '../app/components/dialogs/dialog.tsx';
import { PasswordField } from '../app/components/fields/password-field.tsx';
import { notifyDone } from '../app/components/notify.ts';
import { useDescribeError } from '../app/errors/error-state.tsx';
import { FormError, fieldOf } from '../app/errors/form-error.tsx';
import { commonTexts } from '../app/i18n/common-texts.ts';
import { useTexts } from '../app/i18n/use-texts.ts';
import { profileTexts } from './profile-texts.ts';
import { changeProfile } from './queries.ts';

const fields = { email: 'email', current_password: 'password' } as const;

export function ChangeEmailDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const t = useTexts(profileTexts);
  const common = useTexts(commonTexts);
  const describe = useDescribeError();
  const queries = useQueryClient();
  const form = useForm({
    initialValues: { email: '', password: '' },
    validate: {
      email: (email) => (email.trim() === '' ? t('emailMissing') : null),
      password: (password) => (password === '' ? t('passwordMissing') : null),
    },
  });
  const change = useMutation({
    mutationFn: ({ email, password }: { email: string; password: string }) =>
      changeProfile({ email: email.trim(), current_password: password }),
    onSuccess: (profile) => {
      queries.setQueryData(profileQuery.queryKey, profile);
      if (profile.pendingEmail !== null) notifyDone(t('linkSent', { email: profile.pendingEmail }));
      close();
    },
    onError: (error) => {
      const field = fieldOf(error, fields);
      if (field !== undefined) form.setFieldError(field, describe(error).text);
    },
  });
  const close = () => {
    form.reset();
    change.reset();
    onClose();
  };
  return (
    <Dialog opened={opened} onClose={close} title={t('changeEmail')} closeOnClickOutside={false}>
      <form onSubmit={form.onSubmit((values) => change.mutate(values))} noValidate>
        <Stack>
          <Text size="sm" c="dimmed">
            {t('changeEmailText')}
          </Text>
          <TextInput
            label={t('newEmail')}
            type="email"
            autoComplete="email"
            autoCapitalize="none"
            data-autofocus
            {...form.getInputProps('email')}
          />
          <PasswordField
            label={t('currentPassword')}
            autoComplete="current-password"
            {...form.getInputProps('password')}
          />
          <FormError error={fieldOf(change.error, fields) === undefined ? change.error : null} />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={close}>
              {common('cancel')}
            </Button>
            <Button type="submit" loading={change.isPending}>
              {t('sendLink')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
