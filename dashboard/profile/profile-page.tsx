/** The user: who they are, how they sign in and where, how the dashboard looks to them, and how they leave. */
import { Group, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { createLazyRoute } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { profileQuery } from '../app/api/shared-queries.ts';
import { Loaded } from '../app/components/loaded.tsx';
import { PageHeader } from '../app/components/page-header.tsx';
import { DrawnLater, Section } from '../app/components/section.tsx';
import { useTexts } from '../app/i18n/use-texts.ts';
import { useMay } from '../app/session/permissions.ts';
import { LanguageChoice, ThemeChoice } from '../app/shell/user-menu.tsx';
import { AccountSection } from './account-section.tsx';
import { EmailSection } from './email-section.tsx';
import { NameForm } from './name-form.tsx';
import { PasswordForm } from './password-form.tsx';
import { profileTexts } from './profile-texts.ts';
import { SecondFactorSection } from './second-factor/second-factor-section.tsx';
import { SessionsSection } from './sessions-section.tsx';

export const profileRoute = createLazyRoute('/user/profile')({ component: ProfilePage });

function ProfilePage() {
  const t = useTexts(profileTexts);
  const profile = useQuery(profileQuery);
  const mayManage = useMay('organization:manage');
  return (
    <>
      <PageHeader title={t('title')} />
      <Stack gap="lg" maw={920}>
        <Section title={t('you')}>
          <Loaded query={profile} skeleton={<Skeleton height={142} />}>
            {(saved) => <NameForm saved={saved} />}
          </Loaded>
        </Section>
        <Section title={t('email')} description={t('emailText')}>
          <Loaded query={profile} skeleton={<Skeleton height={36} />}>
            {(saved) => <EmailSection profile={saved} />}
          </Loaded>
        </Section>
        <Section title={t('password')} description={t('passwordText')}>
          <PasswordForm />
        </Section>
        <SecondFactorSection emailVerified={profile.data?.emailVerified ?? false} />
        <DrawnLater>
          <SessionsSection />
          <Section title={t('appearance')} description={t('appearanceText')}>
            <Stack gap="xs">
              <Row label={t('theme')}>
                <ThemeChoice />
              </Row>
              <Row label={t('language')}>
                <LanguageChoice />
              </Row>
            </Stack>
          </Section>
          {mayManage ? (
            <Loaded query={profile} skeleton={<Skeleton height={160} />}>
              {(saved) => <AccountSection profile={saved} />}
            </Loaded>
          ) : null}
        </DrawnLater>
      </Stack>
    </>
  );
}

function Row({ label, children }: { label: string; children: ReactNode }) {
  return (
    <Group justify="space-between" gap="xs" mih={34}>
      <Text size="sm">{label}</Text>
      <div>{children}</div>
    </Group>
  );
}
