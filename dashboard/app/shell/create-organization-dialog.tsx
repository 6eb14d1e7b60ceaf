/** Creates an organization, and switches to it. */
import { Button, Group, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { useRef } from 'react';
import { api, call } from '../api/api.ts';
import { switchTo } from '../api/shared-queries.ts';
import { Dialog } from '../components/dialogs/dialog.tsx';
import { OrganizationNameField, useNameProblem } from '../components/fields/organization-name-field.tsx';
import { FormError } from '../errors/form-error.tsx';
import { commonTexts } from '../i18n/common-texts.ts';
import { useTexts } from '../i18n/use-texts.ts';
import { shellTexts } from './shell-texts.ts';

export function CreateOrganizationDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const t = useTexts(shellTexts);
  return (
    <Dialog opened={opened} onClose={onClose} title={t('createOrganization')}>
      <CreateForm onCancel={onClose} />
    </Dialog>
  );
}

function CreateForm({ onCancel }: { onCancel: () => void }) {
  const t = useTexts(shellTexts);
  const common = useTexts(commonTexts);
  const form = useForm({ initialValues: { name: '' }, validate: { name: useNameProblem() } });
  const made = useRef(new Map<string, number>());
  /** Once it is made, what is tried again is only to switch to it. */
  const createAndSwitch = async (name: string): Promise<never> => {
    const id = made.current.get(name) ?? (await call(api.POST('/api/organizations', { body: { name } }))).id;
    made.current.set(name, id);
    return switchTo(id);
  };
  const create = useMutation({ mutationFn: createAndSwitch });
  return (
    <form onSubmit={form.onSubmit(({ name }) => create.mutate(name.trim()))} noValidate>
      <Stack>
        <Text size="sm" c="dimmed">
          {t('createOrganizationText')}
        </Text>
        <OrganizationNameField data-autofocus {...form.getInputProps('name')} />
        <FormError error={create.error} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" disabled={create.isPending} onClick={onCancel}>
            {common('cancel')}
          </Button>
          <Button type="submit" loading={create.isPending}>
            {t('create')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
