/** What the organization requires its members to sign in with, and its identity provider. */
import { Stack } from '@mantine/core';
import { SingleSignOnSection } from './single-sign-on/single-sign-on-section.tsx';
import { TwoFactorsSection } from './two-factors-section.tsx';

export function SignInTab() {
  return (
    <Stack gap="lg" maw={920}>
      <TwoFactorsSection />
      <SingleSignOnSection />
    </Stack>
  );
}
