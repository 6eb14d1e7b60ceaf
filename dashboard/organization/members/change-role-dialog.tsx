/** Gives a member another role. */
import { Button, Group, Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Dialog } from '../../app/components/dialogs/dialog.tsx';
import { notifyDone } from '../../app/components/notify.ts';
import { FormError } from '../../app/errors/form-error.tsx';
import { commonTexts } from '../../app/i18n/common-texts.ts';
import { roleTexts } from '../../app/i18n/role-texts.ts';
import { useTexts } from '../../app/i18n/use-texts.ts';
import { organizationTexts } from '../organization-texts.ts';
import { changeRole, type Member, membersQuery } from '../queries.ts';
import { RoleField } from '../role-field.tsx';

interface ChangeRoleDialogProps {
  readonly member: Member;
  readonly opened: boolean;
  readonly onClose: () => void;
}

export function ChangeRoleDialog({ member, opened, onClose }: ChangeRoleDialogProps) {
  const t = useTexts(organizationTexts);
  return (
    <Dialog opened={opened} onClose={onClose} title={t('roleTitle', { name: member.displayName ?? member.email })}>
      <RoleForm member={member} onClose={onClose} />
    </Dialog>
  );
}

function RoleForm({ member: { id, email, displayName, role }, onClose }: Omit<ChangeRoleDialogProps, 'opened'>) {
  const t = useTexts(organizationTexts);
  const common = useTexts(commonTexts);
  const roles = useTexts(roleTexts);
  const queries = useQueryClient();
  const form = useForm({ initialValues: { role } });
  const change = useMutation({
    mutationFn: async () => {
      await changeRole(id, form.values.role);
      await queries.invalidateQueries(membersQuery);
    },
    onSuccess: () => {
      notifyDone(t('roleChanged', { name: displayName ?? email, role: roles(form.values.role) }));
      onClose();
    },
  });
  return (
    <form onSubmit={form.onSubmit(() => change.mutate())} noValidate>
      <Stack>
        <RoleField {...form.getInputProps('role')} />
        <FormError error={change.error} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" disabled={change.isPending} onClick={onClose}>
            {common('cancel')}
          </Button>
          <Button type="submit" loading={change.isPending}>
            {t('changeRole')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
