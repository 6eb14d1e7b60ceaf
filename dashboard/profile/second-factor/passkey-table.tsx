/** The passkeys: what they are called, when they were added and used. */
import { Group, Text } from '@mantine/core';
import { IconPencil, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { type Column, DataTable, loadedQuery } from '../../app/components/data-table.tsx';
import { ConfirmDialog } from '../../app/components/dialogs/confirm-dialog.tsx';
import { Dialog } from '../../app/components/dialogs/dialog.tsx';
import { notifyDone } from '../../app/components/notify.ts';
import { RowAction } from '../../app/components/row-action.tsx';
import { commonTexts } from '../../app/i18n/common-texts.ts';
import { useTexts } from '../../app/i18n/use-texts.ts';
import { Instant } from '../../app/time/instant.tsx';
import { PasskeyNameForm } from './passkey-name-form.tsx';
import { type Passkey, removePasskey, renamePasskey, type SecondFactors } from './queries.ts';
import { secondFactorTexts } from './second-factor-texts.ts';
import type { PartProps } from './use-confirmation.tsx';

type TableProps = PartProps & { readonly factors: SecondFactors };

export function PasskeyTable(props: TableProps) {
  const t = useTexts(secondFactorTexts);
  const common = useTexts(commonTexts);
  const columns: Column<Passkey>[] = [
    {
      id: 'name',
      header: common('name'),
      render: ({ name }) => (
        <Text inherit fw={500}>
          {name}
        </Text>
      ),
    },
    { id: 'added', header: t('added'), render: ({ createdAt }) => <Instant value={createdAt} as="day" /> },
    {
      id: 'used',
      header: t('lastUsed'),
      render: ({ lastUsedAt }) =>
        lastUsedAt === null ? common('never') : <Instant value={lastUsedAt} as="relative" />,
    },
    {
      id: 'actions',
      header: t('actions'),
      isActions: true,
      render: (passkey) => <PasskeyActions passkey={passkey} {...props} />,
    },
  ];
  const { passkeys } = props.factors;
  return (
    <DataTable
      label={t('passkeys')}
      columns={columns}
      rows={passkeys}
      rowKey={({ id }) => id}
      query={loadedQuery}
      empty={null}
    />
  );
}

function PasskeyActions({
  passkey: { id, name },
  factors,
  confirmation,
  onChanged,
}: TableProps & { passkey: Passkey }) {
  const t = useTexts(secondFactorTexts);
  const common = useTexts(commonTexts);
  const [open, setOpen] = useState<'rename' | 'remove'>();
  const close = () => setOpen(undefined);
  const isLast = factors.appSince === null && factors.passkeys.length === 1;
  const rename = async (next: string) => {
    await renamePasskey(id, next);
    await onChanged();
    close();
  };
  const remove = async () => {
    await confirmation.confirmed(() => removePasskey(id));
    await onChanged();
    notifyDone(t('passkeyRemoved', { name }));
  };
  return (
    <Group gap={2} justify="flex-end" wrap="nowrap">
      <RowAction label={t('renamePasskey')} icon={IconPencil} onClick={() => setOpen('rename')} />
      <RowAction label={t('removePasskey')} icon={IconTrash} onClick={() => setOpen('remove')} />
      <Dialog opened={open === 'rename'} onClose={close} title={t('renamePasskey')}>
        <PasskeyNameForm name={name} submitLabel={common('save')} onSubmit={rename} onCancel={close} />
      </Dialog>
      <ConfirmDialog
        opened={open === 'remove' && !confirmation.isAsking}
        onClose={close}
        title={t('removePasskeyTitle', { name })}
        text={`${t(isLast ? 'removeLastText' : 'removeText')} ${t('removePasskeyHint')}`}
        confirmLabel={t('removePasskey')}
        onConfirm={remove}
      />
    </Group>
  );
}
