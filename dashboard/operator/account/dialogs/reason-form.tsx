/** Asks for the reason of an action, and says what follows from it. */
import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { FormError } from '../../../app/errors/form-error.tsx';
import { commonTexts } from '../../../app/i18n/common-texts.ts';
import { useTexts } from '../../../app/i18n/use-texts.ts';
import { limits } from '../../../generated/limits.ts';
import { accountTexts } from '../account-texts.ts';

interface ReasonFormProps {
  /** What follows from the action. */
  readonly text: ReactNode;
  /** Names the action: “Block account”. */
  readonly confirmLabel: string;
  readonly isDestructive?: boolean;
  readonly onConfirm: (reason: string) => Promise<unknown>;
  readonly onCancel: () => void;
}

export function ReasonForm({ text, confirmLabel, isDestructive = false, onConfirm, onCancel }: ReasonFormProps) {
  const t = useTexts(accountTexts);
  const common = useTexts(commonTexts);
  const form = useForm({
    initialValues: { reason: '' },
    validate: { reason: (reason) => (reason.trim() === '' ? common('required') : null) },
  });
  const action = useMutation({ mutationFn: onConfirm });
  return (
    <form onSubmit={form.onSubmit(({ reason }) => action.mutate(reason.trim()))} noValidate>
      <Stack>
        <Text size="sm" component="div">
          {text}
        </Text>
        <TextInput
          label={t('reason')}
          description={t('reasonHidden')}
          maxLength={limits.reasonMax}
          data-autofocus
          {...form.getInputProps('reason')}
        />
        <FormError error={action.error} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onCancel}>
            {common('cancel')}
          </Button>
          <Button type="submit" loading={action.isPending} {...(isDestructive && { color: 'red.9' })}>
            {confirmLabel}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
