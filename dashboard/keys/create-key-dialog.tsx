/** Creates a key, then shows it: once, because it is stored nowhere. */
import { Button, Group, Stack, Text } from '@mantine/core';
import { useRef, useState } from 'react';
import { useIdempotencyKeys } from '../app/api/use-idempotency-keys.ts';
import { CopyField } from '../app/components/copy-field.tsx';
import { Dialog } from '../app/components/dialogs/dialog.tsx';
import { commonTexts } from '../app/i18n/common-texts.ts';
import { useTexts } from '../app/i18n/use-texts.ts';
import { KeyForm } from './key-form.tsx';
import { emptyValues, type KeyFormValues, newKeyOf } from './key-form-values.ts';
import { keysTexts } from './keys-texts.ts';
import { createKey, type KeyKind, type NewKey } from './queries.ts';
import { useRefreshKeys } from './use-refresh-keys.ts';

interface CreateKeyDialogProps {
  readonly kind: KeyKind;
  readonly opened: boolean;
  readonly onClose: () => void;
  /** Called with the whole key, as soon as it exists. */
  readonly onCreated?: (key: string) => void;
}

export function CreateKeyDialog({ kind, opened, onClose, onCreated }: CreateKeyDialogProps) {
  const t = useTexts(keysTexts);
  const common = useTexts(commonTexts);
  const refresh = useRefreshKeys(kind);
  const [createdKey, setCreatedKey] = useState<string>();
  const [isCreating, setCreating] = useState(false);
  const repeatable = useIdempotencyKeys();
  const bodies = useRef(new Map<string, NewKey>());
  /** A number of days ends at another instant each time: what is sent again has the first one. */
  const bodyOf = (values: KeyFormValues): NewKey => {
    const text = JSON.stringify(values);
    const body = bodies.current.get(text) ?? newKeyOf(kind, values);
    bodies.current.set(text, body);
    return body;
  };
  const create = async (values: KeyFormValues) => {
    const body = bodyOf(values);
    setCreating(true);
    try {
      const { key } = await createKey(kind, body, repeatable.keyOf({ kind, body }));
      setCreatedKey(key);
      onCreated?.(key);
    } finally {
      setCreating(false);
    }
    await refresh();
  };
  const close = () => {
    setCreatedKey(undefined);
    repeatable.forget();
    bodies.current.clear();
    onClose();
  };
  if (createdKey === undefined) {
    return (
      // If it were closed, it could not show the key that is on its way.
      <Dialog opened={opened} onClose={close} title={t('createKey')} closeOnClickOutside={false} canClose={!isCreating}>
        <KeyForm
          kind={kind}
          initialValues={emptyValues()}
          submitLabel={t('create')}
          onSubmit={create}
          onCancel={close}
        />
      </Dialog>
    );
  }
  return (
    <Dialog opened={opened} onClose={close} title={t('createdTitle')} canClose={false}>
      <Stack>
        <Text size="sm" c="dimmed">
          {t('createdText')}
        </Text>
        <CopyField label={t('apiKey')} value={createdKey} />
        <Group justify="flex-end">
          <Button onClick={close}>{common('done')}</Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
