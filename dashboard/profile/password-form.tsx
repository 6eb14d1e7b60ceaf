/** Changes the password, which ends all other sessions. */
import { Button, Group, SimpleGrid, Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { profileQuery } from '../app/api/shared-queries.ts';
import { PasswordField } from '../app/components/fields/password-field.tsx';
import { notifyDone } from '../app/components/notify.ts';
import { useDescribeError } from '../app/errors/error-state.tsx';
import { FormError, fieldOf } from '../app/errors/form-error.tsx';
import { useTexts } from '../app/i18n/use-texts.ts';
import { limits } from '../generated/limits.ts';
import { profileTexts } from './profile-texts.ts';
import { changePassword, sessionsQuery } from './queries.ts';

const fields = { current_password: 'current', new_password: 'next' } as const;

export function PasswordForm() {
  const t = useTexts(profileTexts);
  const describe = useDescribeError();
  const queries = useQueryClient();
  const { data: profile } = useQuery(profileQuery);
  const form = useForm({
    initialValues: { current: '', next: '' },
    validate: {
      current: (current) => (current === '' ? t('passwordMissing') : null),
      next: (next, { current }) => {
        if (next.length < limits.passwordMin) return t('passwordShort', { count: limits.passwordMin });
        return next === current ? t('passwordSame') : null;
      },
    },
  });
  const change = useMutation({
    mutationFn: ({ current, next }: { current: string; next: string }) => changePassword(current, next),
    onSuccess: async () => {
      form.reset();
      notifyDone(t('passwordChanged'));
      // It also calls off a pending change of the address.
      await Promise.all([queries.invalidateQueries(sessionsQuery), queries.invalidateQueries(profileQuery)]);
    },
    onError: (error) => {
      const field = fieldOf(error, fields);
      if (field !== undefined) form.setFieldError(field, describe(error).text);
    },
  });
  return (
    <form onSubmit={form.onSubmit((values) => change.mutate(values))} noValidate>
      <Stack>
        {/* For password managers. */}
        <input type="text" autoComplete="username" value={profile?.email ?? ''} readOnly hidden />
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md">
          <PasswordField
            label={t('currentPassword')}
            description={t('currentPasswordHint')}
            autoComplete="current-password"
            {...form.getInputProps('current')}
          />
          <PasswordField
            label={t('newPassword')}
            description={t('passwordRule', { count: limits.passwordMin })}
            autoComplete="new-password"
            {...form.getInputProps('next')}
          />
        </SimpleGrid>
        <FormError error={fieldOf(change.error, fields) === undefined ? change.error : null} />
        <Group>
          <Button type="submit" variant="default" loading={change.isPending}>
            {t('changePassword')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
