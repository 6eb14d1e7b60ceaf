/** What the organization is called, its time zone, what its usage is attributed to, and the way out for those who are not shown the members. */
import { Button, Skeleton, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Loaded } from '../../app/components/loaded.tsx';
import { Section } from '../../app/components/section.tsx';
import { useTexts } from '../../app/i18n/use-texts.ts';
import { useMay } from '../../app/session/permissions.ts';
import { DimensionsSection } from '../dimensions/dimensions-section.tsx';
import { LeaveDialog } from '../members/leave-dialog.tsx';
import { organizationTexts } from '../organization-texts.ts';
import { organizationQuery } from '../queries.ts';
import { SettingsForm } from './settings-form.tsx';

export function SettingsTab() {
  const t = useTexts(organizationTexts);
  const query = useQuery(organizationQuery);
  const seesMembers = useMay('members:read');
  return (
    <Stack gap="lg" maw={920}>
      <Section title={t('general')}>
        <Loaded query={query} skeleton={<Skeleton height={212} />}>
          {(saved) => <SettingsForm saved={saved} />}
        </Loaded>
      </Section>
      <DimensionsSection />
      {seesMembers ? null : <LeaveSection />}
    </Stack>
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
