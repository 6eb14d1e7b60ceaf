/** Email and password with one button: for logging in and for signing up. */
import { Button, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { PasswordField } from '../app/components/fields/password-field.tsx';
import { useDescribeError } from '../app/errors/error-state.tsx';
import { FormError, fieldOf } from '../app/errors/form-error.tsx';
import { useTexts } from '../app/i18n/use-texts.ts';
import { limits } from '../generated/limits.ts';
import { signInTexts } from './sign-in-texts.ts';

export interface Credentials {
  readonly email: string;
  readonly password: string;
}

interface SignInFormProps {
  readonly isNew: boolean;
  readonly submitLabel: string;
  readonly onSubmit: (credentials: Credentials) => Promise<unknown>;
  /** For other ways to sign in than with the password. */
  readonly onEmailChange?: (email: string) => void;
  /** Between the fields and the button. */
  readonly children?: ReactNode;
}

const fields = { email: 'email', password: 'password' } as const;

export function SignInForm({ isNew, submitLabel, onSubmit, onEmailChange, children }: SignInFormProps) {
  const t = useTexts(signInTexts);
  const describe = useDescribeError();
  const form = useForm({
    initialValues: { email: '', password: '' },
    onValuesChange: ({ email }) => onEmailChange?.(email.trim()),
    validate: {
      email: (email) => (email.trim() === '' ? t('emailMissing') : null),
      password: (password) => {
        if (password === '') return t('passwordMissing');
        return isNew && password.length < limits.passwordMin ? t('passwordShort', { count: limits.passwordMin }) : null;
      },
    },
  });
  const submit = useMutation({
    mutationFn: onSubmit,
    onError: (error) => {
      const field = fieldOf(error, fields);
      if (field !== undefined) form.setFieldError(field, describe(error).text);
    },
  });
  return (
    <form onSubmit={form.onSubmit((values) => submit.mutate({ ...values, email: values.email.trim() }))} noValidate>
      <Stack>
        <TextInput
          label={t('email')}
          type="email"
          autoComplete="username"
          autoCapitalize="none"
          {...form.getInputProps('email')}
        />
        <PasswordField
          label={t('password')}
          description={isNew ? t('passwordRule', { count: limits.passwordMin }) : undefined}
          autoComplete={isNew ? 'new-password' : 'current-password'}
          {...form.getInputProps('password')}
        />
        {children}
        <FormError error={fieldOf(submit.error, fields) === undefined ? submit.error : null} />
        <Button type="submit" loading={submit.isPending} fullWidth>
          {submitLabel}
        </Button>
      </Stack>
    </form>
  );
}
