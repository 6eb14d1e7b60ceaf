/** What someone new enters to join: a password, and their name if they like. */
import { Button, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { PasswordField } from '../../app/components/fields/password-field.tsx';
import { useDescribeError } from '../../app/errors/error-state.tsx';
import { FormError, fieldOf } from '../../app/errors/form-error.tsx';
import { useTexts } from '../../app/i18n/use-texts.ts';
import { limits } from '../../generated/limits.ts';
import { signInTexts } from '../sign-in-texts.ts';
import { invitationTexts } from './invitation-texts.ts';
import type { NewPerson } from './queries.ts';

interface NewPersonFormProps {
  readonly email: string;
  readonly onJoin: (person: NewPerson) => Promise<unknown>;
}

const fields = { password: 'password', displayName: 'name' } as const;

export function NewPersonForm({ email, onJoin }: NewPersonFormProps) {
  const t = useTexts(invitationTexts);
  const words = useTexts(signInTexts);
  const describe = useDescribeError();
  const form = useForm({
    initialValues: { password: '', name: '' },
    validate: {
      password: (password) =>
        password.length < limits.passwordMin ? words('passwordShort', { count: limits.passwordMin }) : null,
    },
  });
  const join = useMutation({
    mutationFn: ({ password, name }: typeof form.values) =>
      onJoin({ password, ...(name.trim() !== '' && { displayName: name.trim() }) }),
    onError: (error) => {
      const field = fieldOf(error, fields);
      if (field !== undefined) form.setFieldError(field, describe(error).text);
    },
  });
  return (
    <form onSubmit={form.onSubmit((values) => join.mutate(values))} noValidate>
      {/* For password managers, which store the address with the password. */}
      <input type="email" autoComplete="username" value={email} readOnly hidden />
      <Stack>
        <PasswordField
          label={words('password')}
          description={words('passwordRule', { count: limits.passwordMin })}
          autoComplete="new-password"
          {...form.getInputProps('password')}
        />
        <TextInput
          label={t('name')}
          description={t('nameHint')}
          autoComplete="name"
          maxLength={limits.displayNameMax}
          {...form.getInputProps('name')}
        />
        <FormError error={fieldOf(join.error, fields) === undefined ? join.error : null} />
        <Button type="submit" loading={join.isPending} fullWidth>
          {t('join')}
        </Button>
      </Stack>
    </form>
  );
}
