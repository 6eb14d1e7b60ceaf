/** The user, and how the dashboard looks to them. */
import { Button, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { createLazyRoute } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Loaded } from '../app/components/loaded.tsx';
import { PageHeader } from '../app/components/page-header.tsx';
import { useTexts } from '../app/i18n/use-texts.ts';
import { profileQuery } from '../app/session/profile-query.ts';
import { session } from '../app/session/session.ts';
import { LanguageChoice, ThemeChoice } from '../app/shell/user-menu.tsx';
import { Instant } from '../app/time/instant.tsx';
import { profileTexts } from './profile-texts.ts';

export const profileRoute = createLazyRoute('/user/profile')({ component: ProfilePage });

function ProfilePage() {
  const t = useTexts(profileTexts);
  const profile = useQuery(profileQuery);
  const signOut = (
    <Button variant="default" onClick={() => void session.signOut()}>
      {t('signOut')}
    </Button>
  );
  return (
    <>
      <PageHeader title={t('title')} actions={signOut} />
      <Stack gap="lg" maw={640}>
        <section className="panel">
          <Loaded query={profile} skeleton={<Skeleton height={60} />}>
            {({ email, createdAt }) => (
              <Stack gap="xs">
                <Row label={t('email')}>{email}</Row>
                <Row label={t('since')}>
                  <Instant value={createdAt} as="day" />
                </Row>
              </Stack>
            )}
          </Loaded>
        </section>
        <section className="panel">
          <Title order={2} mb="sm">
            {t('appearance')}
          </Title>
          <Stack gap="xs">
            <Row label={t('theme')}>
              <ThemeChoice />
            </Row>
            <Row label={t('language')}>
              <LanguageChoice />
            </Row>
          </Stack>
        </section>
      </Stack>
    </>
  );
}

function Row({ label, children }: { label: string; children: ReactNode }) {
  return (
    <Group justify="space-between" gap="xs" mih={34}>
      <Text c="dimmed" size="sm">
        {label}
      </Text>
      <div>{children}</div>
    </Group>
  );
}
