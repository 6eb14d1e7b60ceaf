/** Confirms an email address with the token of a mailed link, as soon as the page is opened. */
import { Button, Skeleton, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { createLazyRoute, Link } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { api, call } from '../../app/api/api.ts';
import { ApiError } from '../../app/api/api-error.ts';
import { profileQuery } from '../../app/api/shared-queries.ts';
import { LateSkeleton } from '../../app/components/loaded.tsx';
import { FormError } from '../../app/errors/form-error.tsx';
import { commonTexts } from '../../app/i18n/common-texts.ts';
import { useTexts } from '../../app/i18n/use-texts.ts';
import { session } from '../../app/session/session.ts';
import { Card } from '../card.tsx';
import { signInTexts } from '../sign-in-texts.ts';

export const verifyEmailRoute = createLazyRoute('/public/verify-email')({ component: VerifyEmailPage });

function VerifyEmailPage() {
  const t = useTexts(signInTexts);
  const common = useTexts(commonTexts);
  const { token } = verifyEmailRoute.useSearch();
  const queries = useQueryClient();
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: (body: { token: string }) => call(api.POST('/api/auth/verify-email', { body })),
    // The menu names the new address.
    onSuccess: () => {
      if (session.state().status === 'signedIn') void queries.prefetchQuery({ ...profileQuery, staleTime: 0 });
    },
  });
  const sent = useRef<string>(undefined);
  useEffect(() => {
    // A token works once.
    if (token === undefined || sent.current === token) return;
    sent.current = token;
    mutate({ token });
  }, [token, mutate]);
  const goOn = (
    <Button component={Link} to="/" fullWidth>
      {t('continue')}
    </Button>
  );
  const newLink = (
    <Button component={Link} to="/profile" fullWidth>
      {t('newLinkInProfile')}
    </Button>
  );
  if (token === undefined) {
    return (
      <Card title={t('failedTitle')} text={t('noToken')}>
        {newLink}
      </Card>
    );
  }
  if (error !== null) {
    return (
      <Card title={t('failedTitle')}>
        <FormError error={error} />
        {error instanceof ApiError && error.isTransient ? (
          <Button fullWidth loading={isPending} onClick={() => mutate({ token })}>
            {common('tryAgain')}
          </Button>
        ) : (
          newLink
        )}
      </Card>
    );
  }
  if (data === undefined) {
    return (
      <Card title={t('verifying')}>
        <LateSkeleton>
          <Stack gap="xs">
            <Skeleton height={14} />
            <Skeleton height={14} width="60%" />
          </Stack>
        </LateSkeleton>
      </Card>
    );
  }
  return (
    <Card title={t('verifiedTitle')} text={t('verifiedText', { email: data.email })}>
      {data.keysDeactivated === 0 ? null : (
        <Text size="sm">{t('keysDeactivated', { count: data.keysDeactivated })}</Text>
      )}
      {goOn}
    </Card>
  );
}
