/** The fields of the dialog for budgets, and what they mean to the API. */
import type { Language } from '../../../shared/languages.ts';
import { amountInField, parseAmount } from '../../app/money/parse-amount.ts';
import type { Budget, BudgetChange, BudgetScope, NewBudget } from './queries.ts';

/** Percentages. */
export const usualAlerts = [50, 80, 100] as const;

export interface BudgetFormValues {
  readonly scope: BudgetScope;
  /** The id of a project, a member or a key. */
  readonly scopeId: string | null;
  readonly period: Budget['period'];
  readonly amount: string;
  readonly alertsAt: string[];
}

export function valuesOf(budget: Budget | undefined, language: Language): BudgetFormValues {
  const { scope = 'organization', period = 'month', amountUsd, scopeId, alertsAt = usualAlerts } = budget ?? {};
  return {
    scope,
    scopeId: typeof scopeId === 'number' ? String(scopeId) : null,
    period,
    amount: amountUsd === undefined ? '' : amountInField(amountUsd, language),
    alertsAt: alertsAt.map(String),
  };
}

export function newBudgetOf(values: BudgetFormValues): NewBudget {
  const { scope, scopeId, period, amount } = values;
  return {
    scope,
    ...(scopeId !== null && { scopeId: Number(scopeId) }),
    period,
    amount: parseAmount(amount) ?? amount,
    ...alertsOf(values),
  };
}

export function budgetChangeOf(values: BudgetFormValues): BudgetChange {
  const { amount } = values;
  return { amount: parseAmount(amount) ?? amount, ...alertsOf(values) };
}

/** Budgets of keys have none. */
function alertsOf({ scope, alertsAt }: BudgetFormValues): Pick<BudgetChange, 'alertsAt'> {
  return scope === 'key' ? {} : { alertsAt: alertsAt.map(Number) };
}
