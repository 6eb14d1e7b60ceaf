/** The budgets, each with what it applies to, how much of it is spent, and when it begins again. */
import { Stack, Text } from '@mantine/core';
import { IconCoin } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type Column, DataTable } from '../../app/components/data-table.tsx';
import { EmptyState } from '../../app/components/empty-state.tsx';
import { commonTexts } from '../../app/i18n/common-texts.ts';
import { limitTexts } from '../../app/i18n/limit-texts.ts';
import { useLanguage, useTexts } from '../../app/i18n/use-texts.ts';
import { formatPercent } from '../../app/money/format-money.ts';
import { useMay, useOrganization } from '../../app/session/permissions.ts';
import { Instant } from '../../app/time/instant.tsx';
import { organizationTexts } from '../organization-texts.ts';
import { BudgetActions } from './budget-actions.tsx';
import { BudgetProgress } from './budget-progress.tsx';
import { budgetsTexts } from './budgets-texts.ts';
import { type Budget, budgetsQuery } from './queries.ts';
import { useScopeName } from './use-budget-words.ts';

/** Also with live events: they tell a member nothing of what others spend of a budget that they share. */
const pollingMs = 10_000;

export function BudgetTable() {
  const t = useTexts(budgetsTexts);
  const organization = useTexts(organizationTexts);
  const query = useQuery({ ...budgetsQuery, refetchInterval: pollingMs });
  const seesOwn = useOrganization()?.role === 'member';
  return (
    <DataTable
      label={organization('budgets')}
      columns={useColumns()}
      rows={query.data}
      rowKey={({ id }) => id}
      query={query}
      empty={<EmptyState icon={IconCoin} title={t('emptyTitle')} text={t(seesOwn ? 'emptyOwn' : 'emptyText')} />}
      skeletonRows={3}
    />
  );
}

function useColumns(): Column<Budget>[] {
  const t = useTexts(budgetsTexts);
  const common = useTexts(commonTexts);
  const limit = useTexts(limitTexts);
  const language = useLanguage();
  const mayManage = useMay('budgets:manage');
  const percents = (alertsAt: readonly number[]) => formatPercent(alertsAt.join(', '), language);
  const columns: Column<Budget>[] = [
    { id: 'scope', header: t('scope'), render: (budget) => <ScopeName budget={budget} /> },
    { id: 'period', header: t('period'), render: ({ period }) => limit(`${period}Period`) },
    { id: 'spent', header: t('spent'), render: (budget) => <BudgetProgress budget={budget} /> },
    {
      id: 'alerts',
      header: t('alerts'),
      render: ({ alertsAt }) => (alertsAt.length === 0 ? '—' : <span className="no-wrap">{percents(alertsAt)}</span>),
    },
    {
      id: 'resets',
      header: t('resets'),
      render: ({ resetsAt }) => (resetsAt === null ? common('never') : <Instant value={resetsAt} />),
    },
  ];
  const actions: Column<Budget> = {
    id: 'actions',
    header: t('actions'),
    isActions: true,
    render: (budget) => <BudgetActions budget={budget} />,
  };
  return mayManage ? [...columns, actions] : columns;
}

function ScopeName({ budget }: { budget: Budget }) {
  const t = useTexts(budgetsTexts);
  const nameOf = useScopeName();
  return (
    <Stack gap={0} className="budget-name">
      <Text inherit fw={500}>
        {nameOf(budget)}
      </Text>
      <Text inherit c="dimmed">
        {t(budget.scope)}
      </Text>
    </Stack>
  );
}
