/** Chooses a new password with the token of a mailed link. */
import { Button, Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { createLazyRoute } from '@tanstack/react-router';
import { call, publicApi } from '../../app/api/api.ts';
import { ApiError } from '../../app/api/api-error.ts';
import { PasswordField } from '../../app/components/fields/password-field.tsx';
import { useDescribeError } from '../../app/errors/error-state.tsx';
import { FormError, fieldOf } from '../../app/errors/form-error.tsx';
import { useTexts } from '../../app/i18n/use-texts.ts';
import { limits } from '../../generated/limits.ts';
import { Card, CardLink } from '../card.tsx';
import { signInTexts } from '../sign-in-texts.ts';

export const resetPasswordRoute = createLazyRoute('/public/reset-password')({ component: ResetPasswordPage });

const fields = { new_password: 'password' } as const;

function ResetPasswordPage() {
  const t = useTexts(signInTexts);
  const describe = useDescribeError();
  const { token } = resetPasswordRoute.useSearch();
  const form = useForm({
    initialValues: { password: '' },
    validate: {
      password: (password) =>
        password.length < limits.passwordMin ? t('passwordShort', { count: limits.passwordMin }) : null,
    },
  });
  const reset = useMutation({
    mutationFn: (body: { token: string; new_password: string }) =>
      call(publicApi.POST('/api/auth/reset-password', { body })),
    onError: (error) => {
      const field = fieldOf(error, fields);
      if (field !== undefined) form.setFieldError(field, describe(error).text);
    },
  });
  if (reset.isSuccess) {
    return (
      <Card title={t('resetDoneTitle')} text={t('resetDoneText')}>
        <CardLink to="/login">{t('signIn')}</CardLink>
      </Card>
    );
  }
  if (token === undefined) {
    return (
      <Card title={t('resetTitle')} text={t('noToken')}>
        <CardLink to="/forgot-password">{t('newLink')}</CardLink>
      </Card>
    );
  }
  return (
    <Card title={t('resetTitle')}>
      <form onSubmit={form.onSubmit(({ password }) => reset.mutate({ token, new_password: password }))} noValidate>
        <Stack>
          <PasswordField
            label={t('newPassword')}
            description={t('passwordRule', { count: limits.passwordMin })}
            autoComplete="new-password"
            {...form.getInputProps('password')}
          />
          <FormError error={fieldOf(reset.error, fields) === undefined ? reset.error : null} />
          <Button type="submit" loading={reset.isPending} fullWidth>
            {t('resetPassword')}
          </Button>
        </Stack>
      </form>
      {isSpent(reset.error) ? <CardLink to="/forgot-password">{t('newLink')}</CardLink> : null}
    </Card>
  );
}

/** Whether the link has expired or was used already. */
const isSpent = (error: unknown) => error instanceof ApiError && error.code === 'invalid_link';
