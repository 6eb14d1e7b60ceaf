/** Sign up with email and password, unless the gateway's operator creates all accounts. */
import { Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { createLazyRoute } from '@tanstack/react-router';
import { call, publicApi } from '../../app/api/api.ts';
import { siteQuery } from '../../app/api/shared-queries.ts';
import { useTexts } from '../../app/i18n/use-texts.ts';
import { session } from '../../app/session/session.ts';
import { Card, CardLink } from '../card.tsx';
import { type Credentials, SignInForm } from '../sign-in-form.tsx';
import { signInTexts } from '../sign-in-texts.ts';

export const registerRoute = createLazyRoute('/public/register')({ component: RegisterPage });

function RegisterPage() {
  const t = useTexts(signInTexts);
  const site = useQuery(siteQuery);
  // The router leaves this page as soon as there is a session.
  const signUp = async (body: Credentials) => session.begin(await call(publicApi.POST('/api/auth/register', { body })));
  const isClosed = site.data?.registration === 'closed';
  return (
    <Card title={t(isClosed ? 'closedTitle' : 'createTitle')} text={isClosed ? t('closedText') : undefined}>
      {isClosed ? null : <SignInForm isNew submitLabel={t('createAccount')} onSubmit={signUp} />}
      <Group gap="xs">
        {isClosed ? null : (
          <Text size="sm" c="dimmed">
            {t('haveAccount')}
          </Text>
        )}
        <CardLink to="/login">{t('signIn')}</CardLink>
      </Group>
    </Card>
  );
}
