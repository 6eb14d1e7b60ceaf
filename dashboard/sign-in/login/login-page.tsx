/** Log in: with email and password, then with a second factor where there is one, or with a passkey alone. */
import { Alert, Button, Divider, Group, Stack, Text } from '@mantine/core';
import { IconFingerprint } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { createLazyRoute } from '@tanstack/react-router';
import { useState } from 'react';
import { siteQuery } from '../../app/api/shared-queries.ts';
import { FormError } from '../../app/errors/form-error.tsx';
import { useTexts } from '../../app/i18n/use-texts.ts';
import { hasPasskeys } from '../../app/second-factor/passkeys.ts';
import { Card, CardLink } from '../card.tsx';
import { type Credentials, SignInForm } from '../sign-in-form.tsx';
import { signInTexts } from '../sign-in-texts.ts';
import { answerWithPasskey, type Challenge, logIn } from './queries.ts';
import { SecondStep } from './second-step.tsx';

export const loginRoute = createLazyRoute('/public/login')({ component: LoginPage });

function LoginPage() {
  const [challenge, setChallenge] = useState<Challenge>();
  const [hasExpired, setExpired] = useState(false);
  if (challenge === undefined) {
    return (
      <FirstStep
        hasExpired={hasExpired}
        onSubmit={async (credentials) => {
          setExpired(false);
          setChallenge(await logIn(credentials));
        }}
      />
    );
  }
  const back = (isExpired: boolean) => {
    setExpired(isExpired);
    setChallenge(undefined);
  };
  return <SecondStep challenge={challenge} onBack={back} />;
}

interface FirstStepProps {
  /** The second step took too long. */
  readonly hasExpired: boolean;
  readonly onSubmit: (credentials: Credentials) => Promise<void>;
}

function FirstStep({ hasExpired, onSubmit }: FirstStepProps) {
  const t = useTexts(signInTexts);
  const { ended } = loginRoute.useSearch();
  const site = useQuery(siteQuery);
  return (
    <Card title={t('signInTo')}>
      {hasExpired ? <Note>{t('stepExpired')}</Note> : ended === undefined ? null : <Note>{t('ended')}</Note>}
      <SignInForm isNew={false} submitLabel={t('signIn')} onSubmit={onSubmit} />
      {hasPasskeys() ? <PasskeySignIn /> : null}
      <Group justify="space-between" gap="xs">
        <CardLink to="/forgot-password">{t('forgot')}</CardLink>
        {site.data?.registration === 'closed' ? null : <CardLink to="/register">{t('createAccount')}</CardLink>}
      </Group>
    </Card>
  );
}

function Note({ children }: { children: string }) {
  return (
    <Alert variant="outline" color="gray" role="status">
      <Text size="sm">{children}</Text>
    </Alert>
  );
}

function PasskeySignIn() {
  const t = useTexts(signInTexts);
  const use = useMutation({ mutationFn: () => answerWithPasskey() });
  return (
    <Stack>
      <Divider label={t('or')} />
      <FormError error={use.error} />
      <Button
        variant="default"
        fullWidth
        leftSection={<IconFingerprint size={18} stroke={1.6} aria-hidden />}
        loading={use.isPending}
        onClick={() => use.mutate()}
      >
        {t('passkeyAlone')}
      </Button>
    </Stack>
  );
}
