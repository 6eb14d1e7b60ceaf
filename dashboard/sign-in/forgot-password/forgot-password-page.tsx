/** Asks for a link to choose a new password. It never reveals whether there is an account. */
import { Button, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { createLazyRoute } from '@tanstack/react-router';
import { call, publicApi } from '../../app/api/api.ts';
import { useDescribeError } from '../../app/errors/error-state.tsx';
import { FormError, fieldOf } from '../../app/errors/form-error.tsx';
import { useTexts } from '../../app/i18n/use-texts.ts';
import { Card, CardLink } from '../card.tsx';
import { signInTexts } from '../sign-in-texts.ts';

export const forgotPasswordRoute = createLazyRoute('/public/forgot-password')({ component: ForgotPasswordPage });

const fields = { email: 'email' } as const;

function ForgotPasswordPage() {
  const t = useTexts(signInTexts);
  const describe = useDescribeError();
  const form = useForm({
    initialValues: { email: '' },
    validate: { email: (email) => (email.trim() === '' ? t('emailMissing') : null) },
  });
  const send = useMutation({
    mutationFn: (email: string) => call(publicApi.POST('/api/auth/forgot-password', { body: { email } })),
    onError: (error) => {
      const field = fieldOf(error, fields);
      if (field !== undefined) form.setFieldError(field, describe(error).text);
    },
  });
  if (send.isSuccess) {
    return (
      <Card title={t('sentTitle')} text={t('sentText', { email: send.variables })}>
        <CardLink to="/login">{t('backToSignIn')}</CardLink>
      </Card>
    );
  }
  return (
    <Card title={t('forgotTitle')} text={t('forgotText')}>
      <form onSubmit={form.onSubmit(({ email }) => send.mutate(email.trim()))} noValidate>
        <Stack>
          <TextInput
            label={t('email')}
            type="email"
            autoComplete="username"
            autoCapitalize="none"
            {...form.getInputProps('email')}
          />
          <FormError error={fieldOf(send.error, fields) === undefined ? send.error : null} />
          <Button type="submit" loading={send.isPending} fullWidth>
            {t('sendLink')}
          </Button>
        </Stack>
      </form>
      <CardLink to="/login">{t('backToSignIn')}</CardLink>
    </Card>
  );
}
