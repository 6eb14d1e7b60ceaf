/** Log in with email and password. */
import { Alert, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { createLazyRoute } from '@tanstack/react-router';
import { call, publicApi } from '../../app/api/api.ts';
import { siteQuery } from '../../app/api/shared-queries.ts';
import { useTexts } from '../../app/i18n/use-texts.ts';
import { session } from '../../app/session/session.ts';
import { Card, CardLink } from '../card.tsx';
import { type Credentials, SignInForm } from '../sign-in-form.tsx';
import { signInTexts } from '../sign-in-texts.ts';

export const loginRoute = createLazyRoute('/public/login')({ component: LoginPage });

function LoginPage() {
  const t = useTexts(signInTexts);
  const { ended } = loginRoute.useSearch();
  const site = useQuery(siteQuery);
  // The router leaves this page as soon as there is a session.
  const logIn = async (body: Credentials) => session.begin(await call(publicApi.POST('/api/auth/login', { body })));
  return (
    <Card title={t('signInTo')}>
      {ended === undefined ? null : (
        <Alert variant="outline" color="gray" role="status">
          <Text size="sm">{t('ended')}</Text>
        </Alert>
      )}
      <SignInForm isNew={false} submitLabel={t('signIn')} onSubmit={logIn} />
      <Group justify="space-between" gap="xs">
        <CardLink to="/forgot-password">{t('forgot')}</CardLink>
        {site.data?.registration === 'closed' ? null : <CardLink to="/register">{t('createAccount')}</CardLink>}
      </Group>
    </Card>
  );
}
