/** The identity provider of the organization: its settings, its test, the proofs of the domains, and whether it is required. */
import { Button, Divider, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { CopyField } from '../../../app/components/copy-field.tsx';
import { ConfirmDialog } from '../../../app/components/dialogs/confirm-dialog.tsx';
import { Loaded } from '../../../app/components/loaded.tsx';
import { notifyDone } from '../../../app/components/notify.ts';
import { Section } from '../../../app/components/section.tsx';
import { Status } from '../../../app/components/status.tsx';
import { FormError } from '../../../app/errors/form-error.tsx';
import { useTexts } from '../../../app/i18n/use-texts.ts';
import { session } from '../../../app/session/session.ts';
import { SignInFailure } from '../../../app/single-sign-on/sign-in-failure.tsx';
import { Instant } from '../../../app/time/instant.tsx';
import { type IdentityProvider, removeProvider, type SignIn, signInQuery, testProvider } from '../queries.ts';
import { RequirementSwitch } from '../requirement-switch.tsx';
import { DomainList } from './domain-list.tsx';
import { ProviderForm } from './provider-form.tsx';
import { singleSignOnTexts } from './single-sign-on-texts.ts';

const route = getRouteApi('/user/organization');

export function SingleSignOnSection() {
  const t = useTexts(singleSignOnTexts);
  const signIn = useQuery(signInQuery);
  return (
    <Section title={t('title')} description={t('text')}>
      <Loaded query={signIn} skeleton={<Skeleton height={420} />}>
        {(saved) => (
          <Stack gap="lg">
            <div>
              <CopyField label={t('redirectUri')} value={saved.redirectUri} />
              <Text size="xs" c="dimmed">
                {t('redirectUriHint')}
              </Text>
            </div>
            {/* Without the provider that was removed, its values are of no use. */}
            <ProviderForm key={saved.oidc === null ? 'new' : 'saved'} saved={saved} />
            {saved.oidc === null ? null : <Connected saved={saved} provider={saved.oidc} />}
          </Stack>
        )}
      </Loaded>
    </Section>
  );
}

interface ConnectedProps {
  readonly saved: SignIn;
  readonly provider: IdentityProvider;
}

function Connected({ saved: { domains, require: rule }, provider }: ConnectedProps) {
  const t = useTexts(singleSignOnTexts);
  const isUntested = provider.testedAt === null;
  return (
    <>
      <Divider />
      <Connection provider={provider} />
      <Divider />
      <DomainList domains={domains} />
      <Divider />
      <RequirementSwitch
        label={t('require')}
        description={isUntested ? t('testFirst') : t('requireHint')}
        rule={rule}
        requires="oidc"
        // Changed settings are untested, and the rule can be withdrawn then.
        disabled={isUntested && rule !== 'oidc'}
        onText={t('required')}
        offText={t('notRequired')}
      />
      <Divider />
      <RemoveButton />
    </>
  );
}

function Connection({ provider: { testedAt } }: Pick<ConnectedProps, 'provider'>) {
  const t = useTexts(singleSignOnTexts);
  const search = route.useSearch();
  const test = useMutation({ mutationFn: testProvider, onSuccess: ({ url }) => location.assign(url) });
  return (
    <Stack gap="sm">
      <Group justify="space-between" gap="sm">
        <Stack gap={4} flex="1 1 240px">
          <Title order={3} size="h5">
            {t('connection')}
          </Title>
          <Text size="sm" component="div">
            {testedAt === null ? (
              <Status tone="warning">{t('notTested')}</Status>
            ) : (
              <>
                <Status tone="good">{t('testedOn')}</Status> <Instant value={testedAt} />
              </>
            )}
          </Text>
          <Text size="sm" c="dimmed">
            {t('testHint')}
          </Text>
        </Stack>
        <Button variant="default" loading={test.isPending} onClick={() => test.mutate()}>
          {t('test')}
        </Button>
      </Group>
      {test.error === null ? <SignInFailure search={search} /> : <FormError error={test.error} />}
    </Stack>
  );
}

function RemoveButton() {
  const t = useTexts(singleSignOnTexts);
  const queries = useQueryClient();
  const [isRemoving, setRemoving] = useState(false);
  const remove = async () => {
    await removeProvider();
    await queries.invalidateQueries(signInQuery);
    notifyDone(t('removed'));
    // It may have been required.
    await session.check();
  };
  return (
    <Group>
      <Button variant="default" c="var(--mantine-color-error)" onClick={() => setRemoving(true)}>
        {t('remove')}
      </Button>
      <ConfirmDialog
        opened={isRemoving}
        onClose={() => setRemoving(false)}
        title={t('removeTitle')}
        text={t('removeText')}
        confirmLabel={t('removeConfirm')}
        onConfirm={remove}
      />
    </Group>
  );
}
