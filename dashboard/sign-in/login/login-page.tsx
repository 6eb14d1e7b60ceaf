/** Log in: with email and password, then with a second factor where there is one, or with a passkey or single sign-on alone. */
import { Alert, Button, Divider, Group, Stack, Text } from '@mantine/core';
import { IconBuilding, IconFingerprint } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { createLazyRoute } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { siteQuery } from '../../app/api/shared-queries.ts';
import { FormError } from '../../app/errors/form-error.tsx';
import { useTexts } from '../../app/i18n/use-texts.ts';
import { hasPasskeys } from '../../app/second-factor/passkeys.ts';
import { beginSingleSignOn } from '../../app/single-sign-on/begin-single-sign-on.ts';
import { SignInFailure } from '../../app/single-sign-on/sign-in-failure.tsx';
import { Card, CardLink } from '../card.tsx';
import { type Credentials, SignInForm } from '../sign-in-form.tsx';
import { signInTexts } from '../sign-in-texts.ts';
import { answerWithPasskey, type Challenge, logIn } from './queries.ts';
import { SecondStep } from './second-step.tsx';
import { SingleSignOnStep } from './single-sign-on-step.tsx';

export const loginRoute = createLazyRoute('/public/login')({ component: LoginPage });

function LoginPage() {
  const [challenge, setChallenge] = useState<Challenge>();
  const [hasExpired, setExpired] = useState(false);
  /** Of single sign-on, once that is chosen. */
  const [email, setEmail] = useState<string>();
  const { back: page } = loginRoute.useSearch();
  const begin = useMutation({ mutationFn: (typed: string) => beginSingleSignOn(typed, page) });
  if (email !== undefined) {
    const leave = () => {
      begin.reset();
      setEmail(undefined);
    };
    return <SingleSignOnStep email={email} begin={begin} onBack={leave} />;
  }
  if (challenge === undefined) {
    return (
      <FirstStep
        hasExpired={hasExpired}
        onSubmit={async (credentials) => {
          setExpired(false);
          setChallenge(await logIn(credentials));
        }}
        onSingleSignOn={(typed) => {
          setEmail(typed);
          if (typed !== '') begin.mutate(typed);
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
  /** With the address that was typed, which may be none. */
  readonly onSingleSignOn: (email: string) => void;
}

function FirstStep({ hasExpired, onSubmit, onSingleSignOn }: FirstStepProps) {
  const t = useTexts(signInTexts);
  const search = loginRoute.useSearch();
  const site = useQuery(siteQuery);
  const email = useRef('');
  return (
    <Card title={t('signInTo')}>
      {hasExpired ? <Note>{t('stepExpired')}</Note> : search.ended === undefined ? null : <Note>{t('ended')}</Note>}
      <SignInFailure search={search} />
      <SignInForm
        isNew={false}
        submitLabel={t('signIn')}
        onSubmit={onSubmit}
        onEmailChange={(typed) => {
          email.current = typed;
        }}
      />
      <OtherWays onSingleSignOn={() => onSingleSignOn(email.current)} />
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

function OtherWays({ onSingleSignOn }: { onSingleSignOn: () => void }) {
  const t = useTexts(signInTexts);
  return (
    <Stack>
      <Divider label={t('or')} />
      {hasPasskeys() ? <PasskeySignIn /> : null}
      <Button
        variant="default"
        fullWidth
        leftSection={<IconBuilding size={18} stroke={1.6} aria-hidden />}
        onClick={onSingleSignOn}
      >
        {t('singleSignOnAlone')}
      </Button>
    </Stack>
  );
}

function PasskeySignIn() {
  const t = useTexts(signInTexts);
  const use = useMutation({ mutationFn: () => answerWithPasskey() });
  return (
    <>
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
    </>
  );
}
