/** Joins an organization with the token of a mailed link: as someone new, or as the user of the invited address. */
import { Button, Skeleton, Stack, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { createLazyRoute, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ApiError } from '../../app/api/api-error.ts';
import { LateSkeleton } from '../../app/components/loaded.tsx';
import { FormError } from '../../app/errors/form-error.tsx';
import { commonTexts } from '../../app/i18n/common-texts.ts';
import { roleTexts } from '../../app/i18n/role-texts.ts';
import { useTexts } from '../../app/i18n/use-texts.ts';
import type { SessionUser } from '../../app/session/place.ts';
import { useUser } from '../../app/session/session.ts';
import { signOut } from '../../app/shell/user-menu.tsx';
import { Card } from '../card.tsx';
import { signInTexts } from '../sign-in-texts.ts';
import { invitationTexts } from './invitation-texts.ts';
import { NewPersonForm } from './new-person-form.tsx';
import { accept, type Preview, previewQuery } from './queries.ts';

export const acceptInvitationRoute = createLazyRoute('/public/accept-invitation')({ component: AcceptInvitationPage });

function AcceptInvitationPage() {
  const t = useTexts(invitationTexts);
  const words = useTexts(signInTexts);
  const { token } = acceptInvitationRoute.useSearch();
  if (token === undefined) return <Card title={t('failedTitle')} text={words('noToken')} />;
  return <Invitation token={token} />;
}

function Invitation({ token }: { token: string }) {
  const t = useTexts(invitationTexts);
  const roles = useTexts(roleTexts);
  const user = useUser();
  const { data, error, isFetching, refetch } = useQuery(previewQuery(token));
  if (data !== undefined) {
    const { organization, email, role } = data;
    return (
      <Card title={t('title', { name: organization })} text={t('text', { email, role: roles(role) })}>
        <WayIn token={token} preview={data} user={user} />
      </Card>
    );
  }
  if (error !== null) return <Failed error={error} isRetrying={isFetching} onRetry={() => void refetch()} />;
  return (
    <Card title={t('loading')}>
      <LateSkeleton>
        <Skeleton height={36} />
      </LateSkeleton>
    </Card>
  );
}

function Failed({ error, isRetrying, onRetry }: { error: unknown; isRetrying: boolean; onRetry: () => void }) {
  const t = useTexts(invitationTexts);
  const common = useTexts(commonTexts);
  return (
    <Card title={t('failedTitle')}>
      <FormError error={error} />
      {error instanceof ApiError && error.isTransient ? (
        <Button fullWidth loading={isRetrying} onClick={onRetry}>
          {common('tryAgain')}
        </Button>
      ) : (
        <Button component={Link} to="/" variant="default" fullWidth>
          {t('toDashboard')}
        </Button>
      )}
    </Card>
  );
}

interface WayInProps {
  readonly token: string;
  readonly preview: Preview;
  readonly user: SessionUser | undefined;
}

function WayIn({ token, preview: { email, hasAccount }, user }: WayInProps) {
  const t = useTexts(invitationTexts);
  const words = useTexts(signInTexts);
  const join = useMutation({ mutationFn: () => accept({ token }) });
  if (user !== undefined && user.email.toLowerCase() === email.toLowerCase()) {
    return (
      <>
        <FormError error={join.error} />
        <Button fullWidth loading={join.isPending} onClick={() => join.mutate()}>
          {t('join')}
        </Button>
      </>
    );
  }
  if (user !== undefined) {
    return (
      <Hint text={t('otherAddress', { email: user.email })}>
        <Button fullWidth onClick={() => void signOut()}>
          {t('signOut')}
        </Button>
      </Hint>
    );
  }
  if (!hasAccount) return <NewPersonForm email={email} onJoin={(person) => accept({ ...person, token })} />;
  return (
    <Hint text={t('signInFirst')}>
      <Button component={Link} to="/login" search={{ back: backTo(token) } as unknown as true} fullWidth>
        {words('signIn')}
      </Button>
    </Hint>
  );
}

function Hint({ text, children }: { text: string; children: ReactNode }) {
  return (
    <Stack>
      <Text size="sm">{text}</Text>
      {children}
    </Stack>
  );
}

const backTo = (token: string) => `/accept-invitation?${new URLSearchParams({ token })}`;
