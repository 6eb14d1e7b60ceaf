/** What the organization is called, its time zone, what its usage is attributed to, from where its keys may be used, who may see its requests, and the way out. */
import { Button, Skeleton, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Loaded } from '../../app/components/loaded.tsx';
import { Section } from '../../app/components/section.tsx';
import { useTexts } from '../../app/i18n/use-texts.ts';
import { useMay } from '../../app/session/permissions.ts';
import { DataPolicySection } from '../data-policy/data-policy-section.tsx';
import { DimensionsSection } from '../dimensions/dimensions-section.tsx';
import { LeaveDialog } from '../members/leave-dialog.tsx';
import { organizationTexts } from '../organization-texts.ts';
import { allowListQuery, organizationQuery } from '../queries.ts';
import { AddressesForm } from './addresses-form.tsx';
import { SettingsForm } from './settings-form.tsx';
import { settingsTexts } from './settings-texts.ts';

export function SettingsTab() {
  const t = useTexts(organizationTexts);
  const query = useQuery(organizationQuery);
  const seesMembers = useMay('members:read');
  const seesAddresses = useMay('ip-allow-list:read');
  return (
    <Stack gap="lg" maw={920}>
      <Section title={t('general')}>
        <Loaded query={query} skeleton={<Skeleton height={212} />}>
          {(saved) => <SettingsForm saved={saved} />}
        </Loaded>
      </Section>
      <DimensionsSection />
      {seesAddresses ? <AddressesSection /> : null}
      <DataPolicySection />
      {seesMembers ? null : <LeaveSection />}
    </Stack>
  );
}

function AddressesSection() {
  const t = useTexts(settingsTexts);
  const query = useQuery(allowListQuery);
  return (
    <Section title={t('addresses')} description={t('addressesText')}>
      <Loaded query={query} skeleton={<Skeleton height={148} />}>
        {(saved) => <AddressesForm saved={saved} />}
      </Loaded>
    </Section>
  );
}

function LeaveSection() {
  const t = useTexts(organizationTexts);
  const [isLeaving, setLeaving] = useState(false);
  const button = (
    <Button variant="default" c="var(--mantine-color-error)" onClick={() => setLeaving(true)}>
      {t('leaveOrganization')}
    </Button>
  );
  return (
    <>
      <Section title={t('leaveOrganization')} description={t('leaveText')} aside={button} />
      <LeaveDialog opened={isLeaving} onClose={() => setLeaving(false)} />
    </>
  );
}
