/** Creates a project, or changes what it is called, what it is for and where its usage is booked. */
import { Button, Group, Stack, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Dialog } from '../../app/components/dialogs/dialog.tsx';
import { notifyDone } from '../../app/components/notify.ts';
import { useDescribeError } from '../../app/errors/error-state.tsx';
import { FormError, fieldOf } from '../../app/errors/form-error.tsx';
import { commonTexts } from '../../app/i18n/common-texts.ts';
import { useTexts } from '../../app/i18n/use-texts.ts';
import { limits } from '../../generated/limits.ts';
import { projectsTexts } from './projects-texts.ts';
import { changeProject, createProject, type NewProject, type Project, projectsQuery } from './queries.ts';

interface ProjectDialogProps {
  /** Undefined for a new one. */
  readonly project?: Project;
  readonly opened: boolean;
  readonly onClose: () => void;
}

export function ProjectDialog({ project, opened, onClose }: ProjectDialogProps) {
  const t = useTexts(projectsTexts);
  const title = t(project === undefined ? 'createProject' : 'editProject');
  return (
    <Dialog opened={opened} onClose={onClose} title={title} closeOnClickOutside={false}>
      <ProjectForm project={project} onClose={onClose} />
    </Dialog>
  );
}

interface ProjectFormProps {
  readonly project: Project | undefined;
  readonly onClose: () => void;
}

const fields = { name: 'name', description: 'description', costCenter: 'costCenter' } as const;

function ProjectForm({ project, onClose }: ProjectFormProps) {
  const t = useTexts(projectsTexts);
  const common = useTexts(commonTexts);
  const { form, save, error } = useProjectForm({ project, onClose });
  return (
    <form onSubmit={form.onSubmit((values) => save.mutate(bodyOf(values)))} noValidate>
      <Stack>
        <TextInput
          label={common('name')}
          maxLength={limits.projectNameMax}
          data-autofocus
          {...form.getInputProps('name')}
        />
        <Textarea
          label={t('descriptionField')}
          description={t('descriptionHint')}
          maxLength={limits.projectDescriptionMax}
          autosize
          minRows={2}
          maxRows={6}
          {...form.getInputProps('description')}
        />
        <TextInput
          label={t('costCenter')}
          description={t('costCenterHint')}
          maxLength={limits.costCenterMax}
          {...form.getInputProps('costCenter')}
        />
        <FormError error={error} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" disabled={save.isPending} onClick={onClose}>
            {common('cancel')}
          </Button>
          <Button type="submit" loading={save.isPending}>
            {project === undefined ? t('createProject') : common('save')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function useProjectForm({ project, onClose }: ProjectFormProps) {
  const t = useTexts(projectsTexts);
  const common = useTexts(commonTexts);
  const queries = useQueryClient();
  const describe = useDescribeError();
  const { name = '', description, costCenter } = project ?? {};
  const form = useForm({
    initialValues: { name, description: description ?? '', costCenter: costCenter ?? '' },
    validate: { name: (text) => (text.trim() === '' ? common('nameMissing') : null) },
  });
  const save = useMutation({
    mutationFn: async (body: NewProject) => {
      await (project === undefined ? createProject(body) : changeProject(project.id, body));
      await queries.invalidateQueries(projectsQuery);
    },
    onSuccess: (_, body) => {
      notifyDone(t(project === undefined ? 'created' : 'saved', { name: body.name }));
      onClose();
    },
    onError: (error) => {
      const field = fieldOf(error, fields);
      if (field !== undefined) form.setFieldError(field, describe(error).text);
    },
  });
  return { form, save, error: fieldOf(save.error, fields) === undefined ? save.error : null };
}

/** Texts of one line; an empty one is none. */
function bodyOf({ name, description, costCenter }: Record<keyof typeof fields, string>): NewProject {
  const line = (text: string) => text.trim().replaceAll(/\s+/g, ' ');
  return { name: line(name), description: line(description) || null, costCenter: line(costCenter) || null };
}
