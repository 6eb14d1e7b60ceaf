/** What a passkey is called: for a new one, and for one that gets another name. */
import { Button, Group, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useDescribeError } from '../../app/errors/error-state.tsx';
import { FormError, fieldOf } from '../../app/errors/form-error.tsx';
import { commonTexts } from '../../app/i18n/common-texts.ts';
import { useTexts } from '../../app/i18n/use-texts.ts';
import { limits } from '../../generated/limits.ts';
import { secondFactorTexts } from './second-factor-texts.ts';

interface PasskeyNameFormProps {
  /** As it is now, or as it is suggested. */
  readonly name: string;
  readonly submitLabel: string;
  readonly onSubmit: (name: string) => Promise<unknown>;
  readonly onCancel: () => void;
  /** Above the field. */
  readonly children?: ReactNode;
}

const fields = { name: 'name' } as const;

export function PasskeyNameForm({ name, submitLabel, onSubmit, onCancel, children }: PasskeyNameFormProps) {
  const t = useTexts(secondFactorTexts);
  const common = useTexts(commonTexts);
  const describe = useDescribeError();
  const form = useForm({
    initialValues: { name },
    validate: { name: (text) => (text.trim() === '' ? common('nameMissing') : null) },
  });
  const submit = useMutation({
    mutationFn: (text: string) => onSubmit(text.trim()),
    onError: (error) => {
      const field = fieldOf(error, fields);
      if (field !== undefined) form.setFieldError(field, describe(error).text);
    },
  });
  return (
    <form onSubmit={form.onSubmit((values) => submit.mutate(values.name))} noValidate>
      <Stack>
        {children}
        <TextInput
          label={common('name')}
          description={t('nameHint')}
          maxLength={limits.passkeyNameMax}
          autoComplete="off"
          data-autofocus
          {...form.getInputProps('name')}
        />
        <FormError error={fieldOf(submit.error, fields) === undefined ? submit.error : null} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onCancel}>
            {common('cancel')}
          </Button>
          <Button type="submit" loading={submit.isPending}>
            {submitLabel}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
