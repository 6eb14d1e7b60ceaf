/** Sends an email now, and shows whether it was accepted and, to operators, what the mail server said. */
import { Alert, Button, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { profileQuery } from '../app/api/shared-queries.ts';
import { Section } from '../app/components/section.tsx';
import { FormError } from '../app/errors/form-error.tsx';
import { useTexts } from '../app/i18n/use-texts.ts';
import { alertsTexts } from './alerts-texts.ts';
import { sendTest, type TestResult } from './queries.ts';

export function TestSection() {
  const t = useTexts(alertsTexts);
  const { data: profile } = useQuery(profileQuery);
  const test = useMutation({ mutationFn: sendTest });
  const button = (
    <Button variant="default" loading={test.isPending} onClick={() => test.mutate()}>
      {t('sendTest')}
    </Button>
  );
  const result = test.isSuccess ? (
    <Result {...test.data} />
  ) : test.isError ? (
    <FormError error={test.error} />
  ) : undefined;
  return (
    <Section
      title={t('test')}
      description={profile === undefined ? t('testTextOwn') : t('testText', { email: profile.email })}
      aside={button}
    >
      {result}
    </Section>
  );
}

function Result({ sent, to, response }: TestResult) {
  const t = useTexts(alertsTexts);
  return (
    <Alert variant="outline" color={sent ? 'teal' : 'red'} role={sent ? 'status' : 'alert'}>
      <Text size="sm">{t(sent ? 'testSent' : 'testRefused', { email: to })}</Text>
      {response === null ? null : (
        <Text size="xs" c="dimmed" className="request-id" mt={4}>
          {response}
        </Text>
      )}
    </Alert>
  );
}
