/** Asks for the address whose domain tells the organization, and so its identity provider. */
import { Button, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { UseMutationResult } from '@tanstack/react-query';
import { useDescribeError } from '../../app/errors/error-state.tsx';
import { FormError, fieldOf } from '../../app/errors/form-error.tsx';
import { useTexts } from '../../app/i18n/use-texts.ts';
import { Card } from '../card.tsx';
import { signInTexts } from '../sign-in-texts.ts';

interface SingleSignOnStepProps {
  /** What the email field had. */
  readonly email: string;
  /** With the address. It may have begun. */
  readonly begin: Pick<UseMutationResult<void, Error, string>, 'error' | 'isPending' | 'mutate'>;
  readonly onBack: () => void;
}

const fields = { email: 'email' } as const;

export function SingleSignOnStep({ email, begin, onBack }: SingleSignOnStepProps) {
  const t = useTexts(signInTexts);
  const describe = useDescribeError();
  const form = useForm({
    initialValues: { email },
    validate: { email: (value) => (value.trim() === '' ? t('emailMissing') : null) },
  });
  const { error, isPending } = begin;
  const isAboutEmail = fieldOf(error, fields) !== undefined;
  return (
    <Card title={t('singleSignOnAlone')} text={t('ssoText')}>
      <form onSubmit={form.onSubmit((values) => begin.mutate(values.email.trim()))} noValidate>
        <Stack>
          <TextInput
            label={t('email')}
            type="email"
            autoComplete="username"
            autoCapitalize="none"
            autoFocus
            {...form.getInputProps('email')}
            error={form.errors.email ?? (isAboutEmail ? describe(error).text : undefined)}
          />
          <FormError error={isAboutEmail ? null : error} />
          <Button type="submit" loading={isPending} fullWidth>
            {t('continue')}
          </Button>
          <Button variant="subtle" color="gray" onClick={onBack}>
            {t('back')}
          </Button>
        </Stack>
      </form>
    </Card>
  );
}
