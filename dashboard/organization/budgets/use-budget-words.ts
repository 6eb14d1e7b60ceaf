/** What a budget is called: whose it is, and for which period. */
import { limitTexts } from '../../app/i18n/limit-texts.ts';
import { useTexts } from '../../app/i18n/use-texts.ts';
import { useOrganization } from '../../app/session/permissions.ts';
import { budgetsTexts } from './budgets-texts.ts';
import type { Budget } from './queries.ts';

type Named = Pick<Budget, 'scopeName' | 'period'>;

export function useScopeName(): (budget: Pick<Budget, 'scopeName'>) => string {
  const t = useTexts(budgetsTexts);
  const organization = useOrganization();
  return ({ scopeName }) => scopeName ?? organization?.name ?? t('organization');
}

/** For texts that name a budget. */
export function useBudgetWords(): (budget: Named) => { readonly name: string; readonly period: string } {
  const limit = useTexts(limitTexts);
  const nameOf = useScopeName();
  return (budget) => ({ name: nameOf(budget), period: limit(`${budget.period}Budget`) });
}
