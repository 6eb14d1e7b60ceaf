/** What a change of the account type removes: shown as soon as the type is chosen, and confirmed when it is saved. */
import { Alert, List, Text } from '@mantine/core';
import { ConfirmDialog } from '../app/components/dialogs/confirm-dialog.tsx';
import { useTexts } from '../app/i18n/use-texts.ts';
import type { AccountType, CompanyField, CompanyValues } from './company-fields.ts';
import { companyTexts } from './company-texts.ts';

interface DroppedProps {
  readonly fields: readonly CompanyField[];
  /** What is saved now. */
  readonly values: CompanyValues;
  /** The new type. */
  readonly type: AccountType;
}

export function DropNote({ fields, values, type }: DroppedProps) {
  const t = useTexts(companyTexts);
  if (fields.length === 0) return null;
  return (
    <Alert color="yellow" variant="outline" role="status">
      <Text size="sm" fw={600} mb={4}>
        {t('dropNote', { type: t(type) })}
      </Text>
      <List size="sm">
        {fields.map((field) => (
          <List.Item key={field}>
            {t(field)}: {values[field]}
          </List.Item>
        ))}
      </List>
    </Alert>
  );
}

interface DropDialogProps extends DroppedProps {
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly onConfirm: () => Promise<unknown>;
}

export function DropDialog({ fields, values, type, ...dialog }: DropDialogProps) {
  const t = useTexts(companyTexts);
  const list = fields.map((field) => `${t(field)} ${values[field]}`).join('; ');
  return (
    <ConfirmDialog
      title={t('dropTitle', { type: t(type) })}
      text={t('dropText', { list })}
      confirmLabel={t('drop')}
      {...dialog}
    />
  );
}
