/** Deletes the account: names what is destroyed, asks for the password, and for consent to give up a balance. */
import { Alert, Button, Checkbox, type CheckboxProps, Group, List, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError } from '../app/api/api-error.ts';
import { Dialog } from '../app/components/dialogs/dialog.tsx';
import { PasswordField } from '../app/components/fields/password-field.tsx';
import { notifyDone } from '../app/components/notify.ts';
import { useDescribeError } from '../app/errors/error-state.tsx';
import { FormError } from '../app/errors/form-error.tsx';
import { commonTexts } from '../app/i18n/common-texts.ts';
import { useLanguage, useTexts } from '../app/i18n/use-texts.ts';
import { formatUsd } from '../app/money/format-money.ts';
import { session } from '../app/session/session.ts';
import { profileTexts } from './profile-texts.ts';
import { balanceLeft, deleteAccount } from './queries.ts';

interface DeleteAccountDialogProps {
  readonly email: string;
  readonly opened: boolean;
  readonly onClose: () => void;
}

export function DeleteAccountDialog({ email, opened, onClose }: DeleteAccountDialogProps) {
  const t = useTexts(profileTexts);
  return (
    <Dialog opened={opened} onClose={onClose} title={t('deleteTitle', { email })} closeOnClickOutside={false}>
      <DeleteAccountForm email={email} onCancel={onClose} />
    </Dialog>
  );
}

interface Deletion {
  readonly password: string;
  /** The balance that is given up; undefined until the API has named one. */
  readonly forfeit: string | undefined;
}

function DeleteAccountForm({ email, onCancel }: { email: string; onCancel: () => void }) {
  const t = useTexts(profileTexts);
  const common = useTexts(commonTexts);
  const describe = useDescribeError();
  const [forfeit, setForfeit] = useState<string>();
  const form = useForm({
    initialValues: { password: '', consent: false },
    validate: {
      password: (password) => (password === '' ? t('passwordMissing') : null),
      consent: (consent) => (forfeit === undefined || consent ? null : t('consentMissing')),
    },
  });
  const remove = useMutation({
    mutationFn: (deletion: Deletion) => deleteAccount(deletion),
    onSuccess: async () => {
      await session.signOut();
      notifyDone(t('accountDeleted', { email }));
    },
    onError: (error) => {
      const left = balanceLeft(error);
      // It may have changed since it was agreed to.
      if (left !== undefined) form.setFieldValue('consent', false);
      if (left !== undefined) setForfeit(left);
      if (isWrongPassword(error)) form.setFieldError('password', describe(error).text);
    },
  });
  const { error } = remove;
  const isShownElsewhere = balanceLeft(error) !== undefined || isWrongPassword(error);
  return (
    <form onSubmit={form.onSubmit(({ password }) => remove.mutate({ password, forfeit }))} noValidate>
      <Stack>
        <Destroyed />
        {forfeit === undefined ? null : (
          <BalanceConsent amount={forfeit} {...form.getInputProps('consent', { type: 'checkbox' })} />
        )}
        <PasswordField
          label={t('currentPassword')}
          autoComplete="current-password"
          data-autofocus
          {...form.getInputProps('password')}
        />
        <FormError error={isShownElsewhere ? null : error} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onCancel}>
            {common('cancel')}
          </Button>
          <Button type="submit" color="red" loading={remove.isPending}>
            {t('deleteAccount')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function Destroyed() {
  const t = useTexts(profileTexts);
  return (
    <Stack gap="xs">
      <Text size="sm">{t('deleteIntro')}</Text>
      <List size="sm" spacing={4}>
        <List.Item>{t('deleteKeys')}</List.Item>
        <List.Item>{t('deleteSessions')}</List.Item>
        <List.Item>{t('deleteData')}</List.Item>
      </List>
      <Text size="sm" c="dimmed">
        {t('deleteKept')}
      </Text>
    </Stack>
  );
}

function BalanceConsent({ amount, ...checkbox }: { amount: string } & CheckboxProps) {
  const t = useTexts(profileTexts);
  const shown = formatUsd(amount, useLanguage());
  return (
    <Alert variant="outline" color="red" role="alert">
      <Text size="sm" fw={600} mb="xs">
        {t('balanceLeft', { amount: shown })}
      </Text>
      <Checkbox label={t('consent', { amount: shown })} {...checkbox} />
    </Alert>
  );
}

const isWrongPassword = (error: unknown) => error instanceof ApiError && error.code === 'wrong_password';
