/** Asks who it is, before second factors are changed: for a second factor, or without one for the password. */
import { Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Dialog } from '../../app/components/dialogs/dialog.tsx';
import { PasswordField } from '../../app/components/fields/password-field.tsx';
import { Loaded } from '../../app/components/loaded.tsx';
import { useDescribeError } from '../../app/errors/error-state.tsx';
import { FormError, fieldOf } from '../../app/errors/form-error.tsx';
import { commonTexts } from '../../app/i18n/common-texts.ts';
import { useTexts } from '../../app/i18n/use-texts.ts';
import { FactorForm, type FactorMethod } from '../../app/second-factor/factor-form.tsx';
import {
  confirmByCode,
  confirmByPasskey,
  confirmByPassword,
  hasFactor,
  type SecondFactors,
  secondFactorsQuery,
} from './queries.ts';
import { secondFactorTexts } from './second-factor-texts.ts';

interface ConfirmIdentityDialogProps {
  readonly opened: boolean;
  readonly onConfirmed: () => void;
  readonly onClose: () => void;
}

export function ConfirmIdentityDialog({ opened, ...props }: ConfirmIdentityDialogProps) {
  const t = useTexts(secondFactorTexts);
  return (
    <Dialog opened={opened} onClose={props.onClose} title={t('confirmTitle')} closeOnClickOutside={false}>
      <Question {...props} />
    </Dialog>
  );
}

type QuestionProps = Omit<ConfirmIdentityDialogProps, 'opened'>;

function Question({ onConfirmed, onClose }: QuestionProps) {
  const t = useTexts(secondFactorTexts);
  const common = useTexts(commonTexts);
  const factors = useQuery(secondFactorsQuery);
  const confirm = async (send: Promise<unknown>) => {
    await send;
    onConfirmed();
  };
  return (
    <Stack>
      <Text size="sm" c="dimmed">
        {t('confirmText')}
      </Text>
      <Loaded query={factors} skeleton={<Skeleton height={110} />}>
        {(data) =>
          hasFactor(data) ? (
            <FactorForm
              methods={methodsOf(data)}
              submitLabel={t('confirm')}
              onCode={(code) => confirm(confirmByCode(code))}
              onPasskey={() => confirm(confirmByPasskey())}
              cancel={
                <Button variant="default" onClick={onClose}>
                  {common('cancel')}
                </Button>
              }
            />
          ) : (
            <PasswordForm onPassword={(password) => confirm(confirmByPassword(password))} onCancel={onClose} />
          )
        }
      </Loaded>
    </Stack>
  );
}

function methodsOf({ appSince, passkeys, recoveryCodesLeft }: SecondFactors): FactorMethod[] {
  return [
    ...(appSince === null ? [] : (['app'] as const)),
    ...(passkeys.length === 0 ? [] : (['passkey'] as const)),
    ...(recoveryCodesLeft === 0 ? [] : (['recovery_code'] as const)),
  ];
}

const fields = { current_password: 'password' } as const;

interface PasswordFormProps {
  readonly onPassword: (password: string) => Promise<unknown>;
  readonly onCancel: () => void;
}

function PasswordForm({ onPassword, onCancel }: PasswordFormProps) {
  const t = useTexts(secondFactorTexts);
  const common = useTexts(commonTexts);
  const describe = useDescribeError();
  const form = useForm({
    initialValues: { password: '' },
    validate: { password: (password) => (password === '' ? t('passwordMissing') : null) },
  });
  const send = useMutation({
    mutationFn: onPassword,
    onError: (error) => {
      const field = fieldOf(error, fields);
      if (field !== undefined) form.setFieldError(field, describe(error).text);
    },
  });
  return (
    <form onSubmit={form.onSubmit(({ password }) => send.mutate(password))} noValidate>
      <Stack>
        <PasswordField
          label={t('password')}
          autoComplete="current-password"
          data-autofocus
          {...form.getInputProps('password')}
        />
        <FormError error={fieldOf(send.error, fields) === undefined ? send.error : null} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onCancel}>
            {common('cancel')}
          </Button>
          <Button type="submit" loading={send.isPending}>
            {t('confirm')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
