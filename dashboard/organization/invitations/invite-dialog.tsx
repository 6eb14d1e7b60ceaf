/** Invites someone by e-mail, with a role. */
import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Dialog } from '../../app/components/dialogs/dialog.tsx';
import { notifyDone } from '../../app/components/notify.ts';
import { useDescribeError } from '../../app/errors/error-state.tsx';
import { FormError, fieldOf } from '../../app/errors/form-error.tsx';
import { commonTexts } from '../../app/i18n/common-texts.ts';
import { useTexts } from '../../app/i18n/use-texts.ts';
import { organizationTexts } from '../organization-texts.ts';
import { invitationsQuery, invite, type NewInvitation } from '../queries.ts';
import { RoleField } from '../role-field.tsx';

export function InviteDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const t = useTexts(organizationTexts);
  return (
    <Dialog opened={opened} onClose={onClose} title={t('inviteTitle')} closeOnClickOutside={false}>
      <InviteForm onClose={onClose} />
    </Dialog>
  );
}

const fields = { email: 'email' } as const;

function InviteForm({ onClose }: { onClose: () => void }) {
  const t = useTexts(organizationTexts);
  const common = useTexts(commonTexts);
  const queries = useQueryClient();
  const describe = useDescribeError();
  const form = useForm<NewInvitation>({
    initialValues: { email: '', role: 'member' },
    validate: { email: (email) => (email.trim() === '' ? t('emailMissing') : null) },
  });
  const send = useMutation({
    mutationFn: async (invitation: NewInvitation) => {
      await invite(invitation);
      await queries.invalidateQueries(invitationsQuery);
    },
    onSuccess: (_, { email }) => {
      notifyDone(t('invited', { email }));
      onClose();
    },
    onError: (error) => {
      const field = fieldOf(error, fields);
      if (field !== undefined) form.setFieldError(field, describe(error).text);
    },
  });
  return (
    <form onSubmit={form.onSubmit(({ email, role }) => send.mutate({ email: email.trim(), role }))} noValidate>
      <Stack>
        <Text size="sm" c="dimmed">
          {t('inviteText')}
        </Text>
        <TextInput
          label={t('email')}
          type="email"
          autoComplete="off"
          autoCapitalize="none"
          data-autofocus
          {...form.getInputProps('email')}
        />
        <RoleField {...form.getInputProps('role')} />
        <FormError error={fieldOf(send.error, fields) === undefined ? send.error : null} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" disabled={send.isPending} onClick={onClose}>
            {common('cancel')}
          </Button>
          <Button type="submit" loading={send.isPending}>
            {t('sendInvitation')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
