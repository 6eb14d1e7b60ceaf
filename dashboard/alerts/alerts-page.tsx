/** Low-balance alerts: when they are sent, to whom, and whether they arrive. */
import { Skeleton, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { createLazyRoute } from '@tanstack/react-router';
import { Loaded } from '../app/components/loaded.tsx';
import { PageHeader } from '../app/components/page-header.tsx';
import { DrawnLater, Section } from '../app/components/section.tsx';
import { useTexts } from '../app/i18n/use-texts.ts';
import { useMay } from '../app/session/permissions.ts';
import { AddressesSection } from './addresses-section.tsx';
import { alertsTexts } from './alerts-texts.ts';
import { NextEmail } from './next-email.tsx';
import { settingsQuery } from './queries.ts';
import { SettingsForm } from './settings-form.tsx';
import { TestSection } from './test-section.tsx';

export const alertsRoute = createLazyRoute('/user/alerts')({ component: AlertsPage });

function AlertsPage() {
  const t = useTexts(alertsTexts);
  const settings = useQuery(settingsQuery);
  const mayManage = useMay('payments:manage');
  return (
    <>
      <PageHeader title={t('title')} description={t('description')} />
      <Stack gap="lg" maw={920}>
        <Section title={t('settings')}>
          <Loaded query={settings} skeleton={<Skeleton height={262} />}>
            {(saved) => <SettingsForm saved={saved} />}
          </Loaded>
        </Section>
        <Section title={t('next')}>
          <Loaded query={settings} skeleton={<Skeleton height={104} />}>
            {(saved) => <NextEmail settings={saved} />}
          </Loaded>
        </Section>
        <DrawnLater>
          <AddressesSection />
          {mayManage ? <TestSection /> : null}
        </DrawnLater>
      </Stack>
    </>
  );
}
