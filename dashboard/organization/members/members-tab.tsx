/** The people of the organization, and those who are invited. */
import { Button, Group, Stack, Text } from '@mantine/core';
import { IconUserPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { useTexts } from '../../app/i18n/use-texts.ts';
import { useMay } from '../../app/session/permissions.ts';
import { InvitationsSection } from '../invitations/invitations-section.tsx';
import { InviteDialog } from '../invitations/invite-dialog.tsx';
import { organizationTexts } from '../organization-texts.ts';
import { MemberTable } from './member-table.tsx';

export function MembersTab() {
  const t = useTexts(organizationTexts);
  const mayManage = useMay('members:manage');
  const [isInviting, setInviting] = useState(false);
  return (
    <Stack gap="xl">
      <div>
        <Group justify="space-between" align="flex-start" mb="md">
          <Text size="sm" c="dimmed" maw={560} flex="1 1 240px">
            {t('membersText')}
          </Text>
          {mayManage ? (
            <Button leftSection={<IconUserPlus size={16} aria-hidden />} onClick={() => setInviting(true)}>
              {t('invite')}
            </Button>
          ) : null}
        </Group>
        <MemberTable />
      </div>
      <InvitationsSection />
      <InviteDialog opened={isInviting} onClose={() => setInviting(false)} />
    </Stack>
  );
}
