/** Asks for a second factor: a code of the app, a recovery code, or a passkey, as far as the user has them and the browser can. */
import { Anchor, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconFingerprint } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { limits } from '../../generated/limits.ts';
import { useDescribeError } from '../errors/error-state.tsx';
import { FormError, fieldOf } from '../errors/form-error.tsx';
import { useTexts } from '../i18n/use-texts.ts';
import { factorTexts } from './factor-texts.ts';
import { hasPasskeys } from './passkeys.ts';

export type FactorMethod = 'app' | 'passkey' | 'recovery_code';

interface FactorFormProps {
  readonly methods: readonly FactorMethod[];
  readonly submitLabel: string;
  /** Both throw ApiError, which is shown. */
  readonly onCode: (code: string) => Promise<unknown>;
  readonly onPasskey: () => Promise<unknown>;
  /** Beside the button that sends the code. */
  readonly cancel?: ReactNode;
}

const fields = { code: 'code' } as const;

export function FactorForm({ methods, submitLabel, onCode, onPasskey, cancel }: FactorFormProps) {
  const t = useTexts(factorTexts);
  const describe = useDescribeError();
  const offersPasskey = methods.includes('passkey') && hasPasskeys();
  const [kind, setKind] = useState<CodeKind | undefined>(firstKind(methods, offersPasskey));
  const form = useForm({
    initialValues: { code: '' },
    validate: { code: (code) => (code.trim() === '' ? t('codeMissing') : null) },
  });
  const prove = useMutation({
    mutationFn: (code: string | undefined) => (code === undefined ? onPasskey() : onCode(code.trim())),
    onError: (error) => {
      if (fieldOf(error, fields) !== undefined) form.setFieldError('code', describe(error).text);
    },
  });
  const choose = (next: CodeKind) => {
    form.reset();
    prove.reset();
    setKind(next);
  };
  const isPasskeyFirst = kind === undefined && offersPasskey;
  const passkeyButton = (
    <Button
      variant={isPasskeyFirst ? 'filled' : 'default'}
      leftSection={<IconFingerprint size={18} stroke={1.6} aria-hidden />}
      loading={prove.isPending && prove.variables === undefined}
      onClick={() => prove.mutate(undefined)}
      autoFocus={isPasskeyFirst}
      data-autofocus={isPasskeyFirst || undefined}
    >
      {t('usePasskey')}
    </Button>
  );
  return (
    <form onSubmit={form.onSubmit(({ code }) => prove.mutate(code))} noValidate>
      <Stack>
        {kind === undefined ? null : <CodeField key={kind} kind={kind} {...form.getInputProps('code')} />}
        {kind === undefined && !offersPasskey ? <Text size="sm">{t('noPasskeys')}</Text> : null}
        <FormError error={fieldOf(prove.error, fields) === undefined ? prove.error : null} />
        <Group justify="flex-end" gap="xs">
          {cancel}
          {isPasskeyFirst ? passkeyButton : null}
          {kind === undefined ? null : (
            <Button type="submit" loading={prove.isPending && prove.variables !== undefined}>
              {submitLabel}
            </Button>
          )}
        </Group>
        {offersPasskey && !isPasskeyFirst ? passkeyButton : null}
        <OtherWay methods={methods} kind={kind} onChoose={choose} />
      </Stack>
    </form>
  );
}

type CodeKind = 'app' | 'recovery_code';

/** Undefined where a passkey is asked for first. */
function firstKind(methods: readonly FactorMethod[], offersPasskey: boolean): CodeKind | undefined {
  if (methods.includes('app')) return 'app';
  return methods.includes('recovery_code') && !offersPasskey ? 'recovery_code' : undefined;
}

/** A field of its own for each kind, which takes the focus. */
function CodeField({ kind, ...props }: { kind: CodeKind } & ReturnType<ReturnType<typeof useForm>['getInputProps']>) {
  const t = useTexts(factorTexts);
  const isApp = kind === 'app';
  return (
    <TextInput
      label={t(isApp ? 'code' : 'recoveryCode')}
      description={t(isApp ? 'codeHint' : 'recoveryHint')}
      autoComplete={isApp ? 'one-time-code' : 'off'}
      inputMode={isApp ? 'numeric' : 'text'}
      autoCapitalize="characters"
      spellCheck={false}
      maxLength={limits.codeMax}
      autoFocus
      data-autofocus
      {...props}
    />
  );
}

interface OtherWayProps {
  readonly methods: readonly FactorMethod[];
  readonly kind: CodeKind | undefined;
  readonly onChoose: (kind: CodeKind) => void;
}

function OtherWay({ methods, kind, onChoose }: OtherWayProps) {
  const t = useTexts(factorTexts);
  const other = kind === 'recovery_code' ? 'app' : 'recovery_code';
  if (!methods.includes(other)) return null;
  return (
    <Anchor component="button" type="button" size="sm" ta="left" onClick={() => onChoose(other)}>
      {t(other === 'app' ? 'useApp' : 'useRecoveryCode')}
    </Anchor>
  );
}
