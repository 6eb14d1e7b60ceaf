/** What can be done with a project in its row. */
import { Group } from '@mantine/core';
import { IconArchive, IconArchiveOff, IconPencil } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmDialog } from '../../app/components/dialogs/confirm-dialog.tsx';
import { notifyDone, notifyFailed } from '../../app/components/notify.ts';
import { RowAction } from '../../app/components/row-action.tsx';
import { useDescribeError } from '../../app/errors/error-state.tsx';
import { useTexts } from '../../app/i18n/use-texts.ts';
import { useRefreshKeys } from '../../keys/use-refresh-keys.ts';
import { ProjectDialog } from './project-dialog.tsx';
import { projectsTexts } from './projects-texts.ts';
import { changeProject, type Project } from './queries.ts';

export function ProjectActions({ project }: { project: Project }) {
  const t = useTexts(projectsTexts);
  const describe = useDescribeError();
  const refresh = useRefreshKeys('proxy');
  const [open, setOpen] = useState<'edit' | 'archive'>();
  const { id, name, archived, keys } = project;
  const close = () => setOpen(undefined);
  const archive = async () => {
    await changeProject(id, { archived: true });
    await refresh();
    notifyDone(t('wasArchived', { name }));
  };
  const restore = useMutation({
    mutationFn: () => changeProject(id, { archived: false }),
    onSuccess: async () => {
      await refresh();
      notifyDone(t('restored', { name }));
    },
    onError: (error) => notifyFailed(describe(error)),
  });
  return (
    <Group gap={2} justify="flex-end" wrap="nowrap">
      <RowAction label={t('edit')} icon={IconPencil} onClick={() => setOpen('edit')} />
      {archived ? (
        <RowAction
          label={t('restore')}
          icon={IconArchiveOff}
          isBusy={restore.isPending}
          onClick={() => restore.mutate()}
        />
      ) : (
        <RowAction label={t('archive')} icon={IconArchive} onClick={() => setOpen('archive')} />
      )}
      <ProjectDialog project={project} opened={open === 'edit'} onClose={close} />
      <ConfirmDialog
        opened={open === 'archive'}
        onClose={close}
        title={t('archiveTitle', { name })}
        text={keys === 0 ? t('archiveUnusedText') : t('archiveText', { count: keys })}
        confirmLabel={t('archiveProject')}
        onConfirm={archive}
      />
    </Group>
  );
}
