/** Changes how fast all keys of an account together may be used. */
import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { perRateLimit, rateLimits } from '../../../../shared/limits/rate-limits.ts';
import { Dialog } from '../../../app/components/dialogs/dialog.tsx';
import { notifyDone } from '../../../app/components/notify.ts';
import { FormError } from '../../../app/errors/form-error.tsx';
import { commonTexts } from '../../../app/i18n/common-texts.ts';
import { limitTexts } from '../../../app/i18n/limit-texts.ts';
import { useTexts } from '../../../app/i18n/use-texts.ts';
import { limits } from '../../../generated/limits.ts';
import { accountTexts } from '../account-texts.ts';
import { type AccountDialogProps, changeLimits, nameOf, refreshAccount } from '../queries.ts';

export function LimitsDialog(props: AccountDialogProps) {
  const t = useTexts(accountTexts);
  const { account, opened, onClose } = props;
  return (
    <Dialog
      opened={opened}
      onClose={onClose}
      title={t('limitsTitle', { name: nameOf(account) })}
      closeOnClickOutside={false}
    >
      <LimitsForm {...props} />
    </Dialog>
  );
}

function LimitsForm({ account, onClose }: AccountDialogProps) {
  const t = useTexts(accountTexts);
  const limit = useTexts(limitTexts);
  const common = useTexts(commonTexts);
  const queries = useQueryClient();
  const form = useLimitsForm(account);
  const save = useMutation({
    mutationFn: ({ reason, ...texts }: typeof form.values) =>
      changeLimits(account.id, {
        ...perRateLimit(({ name }) => limitOf(texts[name])),
        reason: reason.trim(),
      }),
    onSuccess: async () => {
      onClose();
      notifyDone(t('limitsDone', { name: nameOf(account) }));
      await refreshAccount(queries, account.id);
    },
  });
  return (
    <form onSubmit={form.onSubmit((values) => save.mutate(values))} noValidate>
      <Stack>
        <Text size="sm" c="dimmed">
          {t('limitsText')}
        </Text>
        {rateLimits.map(({ name }, index) => (
          <TextInput
            key={name}
            label={limit(name)}
            inputMode="numeric"
            placeholder={t('byDefault')}
            {...(index === 0 && { 'data-autofocus': true })}
            {...form.getInputProps(name)}
          />
        ))}
        <TextInput
          label={t('reason')}
          description={t('reasonHidden')}
          maxLength={limits.reasonMax}
          {...form.getInputProps('reason')}
        />
        <FormError error={save.error} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {common('cancel')}
          </Button>
          <Button type="submit" loading={save.isPending}>
            {t('saveLimits')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function useLimitsForm({ limits }: AccountDialogProps['account']) {
  const t = useTexts(accountTexts);
  const common = useTexts(commonTexts);
  const rate = (text: string) => (/^\d{0,9}$/.test(text.trim()) ? null : t('invalidLimit'));
  return useForm({
    initialValues: {
      ...perRateLimit(({ name }) => String(limits[name] ?? '')),
      reason: '',
    },
    validate: {
      ...perRateLimit(() => rate),
      reason: (reason) => (reason.trim() === '' ? common('required') : null),
    },
  });
}

/** Null is the gateway's default. */
const limitOf = (text: string): number | null => (text.trim() === '' ? null : Number(text));
