/** What the organization requires its members to sign in with. */
import { Stack } from '@mantine/core';
import { TwoFactorsSection } from './two-factors-section.tsx';

export function SignInTab() {
  return (
    <Stack gap="lg" maw={920}>
      <TwoFactorsSection />
    </Stack>
  );
}
