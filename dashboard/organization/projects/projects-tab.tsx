/** What the keys of the organization are used for. */
import { Button, Group, Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { useTexts } from '../../app/i18n/use-texts.ts';
import { useMay } from '../../app/session/permissions.ts';
import { ProjectDialog } from './project-dialog.tsx';
import { ProjectTable } from './project-table.tsx';
import { projectsTexts } from './projects-texts.ts';

export function ProjectsTab() {
  const t = useTexts(projectsTexts);
  const mayManage = useMay('projects:manage');
  const [isCreating, setCreating] = useState(false);
  return (
    <>
      <Group justify="space-between" align="flex-start" mb="md">
        <Text size="sm" c="dimmed" maw={560} flex="1 1 240px">
          {t('description')}
        </Text>
        {mayManage ? (
          <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setCreating(true)}>
            {t('createProject')}
          </Button>
        ) : null}
      </Group>
      <ProjectTable />
      <ProjectDialog opened={isCreating} onClose={() => setCreating(false)} />
    </>
  );
}
