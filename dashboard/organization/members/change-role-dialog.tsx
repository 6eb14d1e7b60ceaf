/** Gives a member another role. */
import { Button, Group, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Dialog } from '../../app/components/dialogs/dialog.tsx';
import { notifyDone } from '../../app/components/notify.ts';
import { FormError } from '../../app/errors/form-error.tsx';
import { commonTexts } from '../../app/i18n/common-texts.ts';
import { roleTexts } from '../../app/i18n/role-texts.ts';
import { useTexts } from '../../app/i18n/use-texts.ts';
import type { Role } from '../../app/session/place.ts';
import { keysQuery } from '../../keys/queries.ts';
import { organizationTexts } from '../organization-texts.ts';
import { changeRole, type KeysFate, type Member, membersQuery } from '../queries.ts';
import { RoleField } from '../role-field.tsx';
import { KeysField } from './keys-field.tsx';
import { rolesWithKeys } from './roles-with-keys.ts';

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
  const form = useForm<{ role: Role; keys: KeysFate }>({ initialValues: { role, keys: 'deactivate' } });
  const losesKeys = rolesWithKeys.has(role) && !rolesWithKeys.has(form.values.role);
  const change = useMutation({
    mutationFn: async () => {
      await changeRole(id, form.values);
      await Promise.all([queries.invalidateQueries(membersQuery), queries.invalidateQueries(keysQuery('proxy'))]);
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
        {losesKeys && (
          <>
            <Text size="sm">{t('losesKeys')}</Text>
            <KeysField value={form.values.keys} onChange={(keys) => form.setFieldValue('keys', keys)} />
          </>
        )}
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
