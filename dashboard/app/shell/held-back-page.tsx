/** In place of every page but the profile, while the session does not satisfy the sign-in rule of the organization: what to do. */
import { Box, Button, Stack, Text } from '@mantine/core';
import { IconShieldLock } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { Link, useRouterState } from '@tanstack/react-router';
import { PageHeader } from '../components/page-header.tsx';
import { FormError } from '../errors/form-error.tsx';
import { useTexts } from '../i18n/use-texts.ts';
import { useOrganization } from '../session/permissions.ts';
import type { UnmetSignIn } from '../session/place.ts';
import { useUser } from '../session/session.ts';
import { beginSingleSignOn } from '../single-sign-on/begin-single-sign-on.ts';
import { shellTexts } from './shell-texts.ts';

export function HeldBackPage({ unmet }: { unmet: UnmetSignIn }) {
  const t = useTexts(shellTexts);
  const name = useOrganization()?.name ?? '';
  const isSecondFactor = unmet === 'second_factor';
  return (
    <>
      <PageHeader title={t(isSecondFactor ? 'secondFactorTitle' : 'singleSignOnTitle')} />
      <Box className="panel" maw={640}>
        <Stack align="flex-start">
          <IconShieldLock size={28} stroke={1.5} className="state-icon" aria-hidden />
          <Text>{t(isSecondFactor ? 'secondFactorText' : 'singleSignOnText', { name })}</Text>
          <Text size="sm" c="dimmed">
            {t('heldBackHint')}
          </Text>
          {isSecondFactor ? (
            <Button component={Link} to="/profile" hash="second-factor">
              {t('setUpInProfile')}
            </Button>
          ) : (
            <SingleSignOn />
          )}
        </Stack>
      </Box>
    </>
  );
}

function SingleSignOn() {
  const t = useTexts(shellTexts);
  const email = useUser()?.email ?? '';
  const back = useRouterState({ select: ({ location }) => location.href });
  const begin = useMutation({ mutationFn: () => beginSingleSignOn(email, back) });
  return (
    <>
      <FormError error={begin.error} />
      <Button loading={begin.isPending} onClick={() => begin.mutate()}>
        {t('singleSignOn')}
      </Button>
    </>
  );
}
