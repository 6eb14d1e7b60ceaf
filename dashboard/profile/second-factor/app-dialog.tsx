/** Sets up an authenticator app: its secret as a QR code and as a text, then a code that proves that the app has it. */
import { Button, Center, Group, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { CopyField } from '../../app/components/copy-field.tsx';
import { Dialog } from '../../app/components/dialogs/dialog.tsx';
import { notifyDone } from '../../app/components/notify.ts';
import { useDescribeError } from '../../app/errors/error-state.tsx';
import { FormError, fieldOf } from '../../app/errors/form-error.tsx';
import { commonTexts } from '../../app/i18n/common-texts.ts';
import { useTexts } from '../../app/i18n/use-texts.ts';
import { limits } from '../../generated/limits.ts';
import { QrCode } from './qr-code.tsx';
import { type beginApp, finishApp } from './queries.ts';
import { secondFactorTexts } from './second-factor-texts.ts';
import type { PartProps } from './use-confirmation.tsx';

type NewApp = Awaited<ReturnType<typeof beginApp>>;

interface AppDialogProps extends PartProps {
  /** Undefined while none is being set up. */
  readonly app: NewApp | undefined;
  readonly onClose: () => void;
}

export function AppDialog({ app, ...props }: AppDialogProps) {
  const t = useTexts(secondFactorTexts);
  const isOpen = app !== undefined && !props.confirmation.isAsking;
  return (
    <Dialog opened={isOpen} onClose={props.onClose} title={t('setUpApp')} closeOnClickOutside={false}>
      {app === undefined ? null : <AppForm app={app} {...props} />}
    </Dialog>
  );
}

const fields = { code: 'code' } as const;

function AppForm({ app, confirmation, onChanged, onClose }: AppDialogProps & { app: NewApp }) {
  const t = useTexts(secondFactorTexts);
  const common = useTexts(commonTexts);
  const describe = useDescribeError();
  const form = useForm({
    initialValues: { code: '' },
    validate: { code: (code) => (code.trim() === '' ? t('codeMissing') : null) },
  });
  const finish = useMutation({
    mutationFn: (code: string) => confirmation.confirmed(() => finishApp(code.trim())),
    onSuccess: async ({ recoveryCodes }) => {
      onClose();
      notifyDone(t('appAdded'));
      await onChanged(recoveryCodes);
    },
    onError: (error) => {
      if (fieldOf(error, fields) !== undefined) form.setFieldError('code', describe(error).text);
    },
  });
  return (
    <form onSubmit={form.onSubmit(({ code }) => finish.mutate(code))} noValidate>
      <Stack>
        <Text size="sm">{t('setUpText')}</Text>
        <Center>
          <QrCode text={app.url} label={t('scan')} />
        </Center>
        <CopyField label={t('secret')} value={app.secret} />
        <TextInput
          label={t('code')}
          description={t('codeHint')}
          autoComplete="one-time-code"
          inputMode="numeric"
          maxLength={limits.codeMax}
          data-autofocus
          {...form.getInputProps('code')}
        />
        <FormError error={fieldOf(finish.error, fields) === undefined ? finish.error : null} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {common('cancel')}
          </Button>
          <Button type="submit" loading={finish.isPending}>
            {t('setUp')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
