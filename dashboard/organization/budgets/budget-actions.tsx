/** What can be done with a budget in its row. */
import { Group } from '@mantine/core';
import { IconPencil, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { ConfirmDialog } from '../../app/components/dialogs/confirm-dialog.tsx';
import { notifyDone } from '../../app/components/notify.ts';
import { RowAction } from '../../app/components/row-action.tsx';
import { useTexts } from '../../app/i18n/use-texts.ts';
import { useRefreshKeys } from '../../keys/use-refresh-keys.ts';
import { BudgetDialog } from './budget-dialog.tsx';
import { budgetsTexts } from './budgets-texts.ts';
import { type Budget, deleteBudget } from './queries.ts';
import { useBudgetWords } from './use-budget-words.ts';

export function BudgetActions({ budget }: { budget: Budget }) {
  const t = useTexts(budgetsTexts);
  const words = useBudgetWords()(budget);
  const refresh = useRefreshKeys('proxy');
  const [open, setOpen] = useState<'edit' | 'delete'>();
  const close = () => setOpen(undefined);
  const remove = async () => {
    await deleteBudget(budget.id);
    await refresh();
    notifyDone(t('deleted', words));
  };
  return (
    <Group gap={2} justify="flex-end" wrap="nowrap">
      <RowAction label={t('edit')} icon={IconPencil} onClick={() => setOpen('edit')} />
      <RowAction label={t('delete')} icon={IconTrash} onClick={() => setOpen('delete')} />
      <BudgetDialog budget={budget} opened={open === 'edit'} onClose={close} />
      <ConfirmDialog
        opened={open === 'delete'}
        onClose={close}
        title={t('deleteTitle', words)}
        text={t('deleteText')}
        confirmLabel={t('deleteBudget')}
        onConfirm={remove}
      />
    </Group>
  );
}
