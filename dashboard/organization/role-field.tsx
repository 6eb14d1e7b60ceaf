/** The choice of a role, each with what it may do. */
import { Radio, type RadioGroupProps, Stack } from '@mantine/core';
import { roleTexts } from '../app/i18n/role-texts.ts';
import { useTexts } from '../app/i18n/use-texts.ts';
import { useOrganization } from '../app/session/permissions.ts';
import type { Role } from '../app/session/place.ts';
import { organizationTexts } from './organization-texts.ts';
import { roles } from './queries.ts';

export function RoleField(props: Omit<RadioGroupProps, 'children'>) {
  const t = useTexts(organizationTexts);
  const words = useTexts(roleTexts);
  const mayGive = useMayGive();
  return (
    <Radio.Group label={t('role')} {...props}>
      <Stack gap="xs" mt={6}>
        {roles.filter(mayGive).map((role) => (
          <Radio key={role} value={role} label={words(role)} description={words(`${role}May`)} />
        ))}
      </Stack>
    </Radio.Group>
  );
}

/** Owners are made, changed and removed by owners only. */
export function useMayGive(): (role: Role) => boolean {
  const isOwner = useOrganization()?.role === 'owner';
  return (role) => role !== 'owner' || isOwner;
}
