/** What may be spent in the organization, by whom and for what. */
import { Button, Group, Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { useTexts } from '../../app/i18n/use-texts.ts';
import { useMay } from '../../app/session/permissions.ts';
import { BudgetDialog } from './budget-dialog.tsx';
import { BudgetTable } from './budget-table.tsx';
import { budgetsTexts } from './budgets-texts.ts';

export function BudgetsTab() {
  const t = useTexts(budgetsTexts);
  const mayManage = useMay('budgets:manage');
  const [isCreating, setCreating] = useState(false);
  return (
    <>
      <Group justify="space-between" align="flex-start" mb="md">
        <Text size="sm" c="dimmed" maw={560} flex="1 1 240px">
          {t('description')}
        </Text>
        {mayManage ? (
          <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setCreating(true)}>
            {t('createBudget')}
          </Button>
        ) : null}
      </Group>
      <BudgetTable />
      <BudgetDialog opened={isCreating} onClose={() => setCreating(false)} />
    </>
  );
}
