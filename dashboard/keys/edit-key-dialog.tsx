/** Renames a key, changes its expiry, moves it to another project, or limits it. */
import { Dialog } from '../app/components/dialogs/dialog.tsx';
import { notifyDone } from '../app/components/notify.ts';
import { useLanguage, useTexts } from '../app/i18n/use-texts.ts';
import { KeyForm } from './key-form.tsx';
import { bodyOf, type KeyFormValues, valuesOf } from './key-form-values.ts';
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
  const before = valuesOf(value, useLanguage());
  const save = async (values: KeyFormValues) => {
    await changeKey(kind, value.id, bodyOf(kind, values, before));
    await refresh();
    notifyDone(t('saved', { name: values.name.trim() }));
    onClose();
  };
  return (
    <Dialog opened={opened} onClose={onClose} title={t('editKey')} closeOnClickOutside={false}>
      <KeyForm kind={kind} initialValues={before} submitLabel={t('save')} onSubmit={save} onCancel={onClose} />
    </Dialog>
  );
}
