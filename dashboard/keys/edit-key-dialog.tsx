/** Renames a key, changes its expiry, moves it to another project, or limits it. */
import { Dialog } from '../app/components/dialogs/dialog.tsx';
import { notifyDone } from '../app/components/notify.ts';
import { useLanguage, useTexts } from '../app/i18n/use-texts.ts';
import { KeyForm } from './key-form.tsx';
import { type KeyFormValues, keyChangeOf, valuesOf } from './key-form-values.ts';
import { keysTexts } from './keys-texts.ts';
import { changeKey, type Key, type KeyKind } from './queries.ts';
import { useRefreshKeys } from './use-refresh-keys.ts';

interface EditKeyDialogProps {
  readonly kind: KeyKind;
  readonly value: Key;
  readonly opened: boolean;
  readonly onClose: () => void;
}

export function EditKeyDialog({ kind, value, opened, onClose }: EditKeyDialogProps) {
  const t = useTexts(keysTexts);
  const refresh = useRefreshKeys(kind);
  const language = useLanguage();
  const save = async (values: KeyFormValues, before: KeyFormValues) => {
    const change = keyChangeOf(kind, values, before);
    if (change !== undefined) await changeKey(kind, value.id, change);
    await refresh();
    notifyDone(t('saved', { name: values.name.trim() }));
    onClose();
  };
  return (
    <Dialog opened={opened} onClose={onClose} title={t('editKey')} closeOnClickOutside={false}>
      <KeyForm
        kind={kind}
        initialValues={valuesOf(value, language)}
        submitLabel={t('save')}
        onSubmit={save}
        onCancel={onClose}
      />
    </Dialog>
  );
}
