/** Gives a customer a key in a project, and budgets that apply to it, by the API. */
import { type BudgetLevelName, budgetLevels } from '../../shared/limits/budget-levels.ts';
import { spendLimits } from '../../shared/limits/spend-limits.ts';
import type { Customer } from './customers.ts';

/** Posts a body, and returns that of the response. */
export type Create = (path: string, body: object) => Promise<Readonly<Record<string, unknown>>>;

export interface Budgeted {
  /** With the new key. */
  readonly customer: Customer;
  /** The ids of the budgets, by level. */
  readonly ids: ReadonlyMap<BudgetLevelName, string>;
}

/** Amounts in USD, of the levels that get a budget: each of another period. */
export async function giveBudgets(
  create: Create,
  customer: Customer,
  amounts: Partial<Record<BudgetLevelName, string>>,
): Promise<Budgeted> {
  const project = await create('/api/projects', { name: 'budgeted' });
  const key = await create('/api/proxy-keys', { name: 'budgeted', projectId: project.id });
  const scopeIds = { key: key.id, member: customer.userId, project: project.id, organization: undefined };
  const ids = new Map<BudgetLevelName, string>();
  for (const [place, { name: scope }] of budgetLevels.entries()) {
    const [amount, period] = [amounts[scope], spendLimits[place % spendLimits.length]?.name];
    if (amount === undefined) continue;
    const budget = await create('/api/budgets', { scope, scopeId: scopeIds[scope], period, amount });
    ids.set(scope, String(budget.id));
  }
  return { customer: { ...customer, proxyKey: String(key.key), proxyKeyId: Number(key.id) }, ids };
}
