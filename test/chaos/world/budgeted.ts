/** Customers whose key, project, member and organization have a budget each, one of which they run into again and again. */
import { type BudgetLevelName, budgetLevels } from '../../../shared/limits/budget-levels.ts';
import { type SpendLimitName, spendLimits } from '../../../shared/limits/spend-limits.ts';
import type { Customer } from '../../harness/customers.ts';
import { askAdmin, type Sessions } from '../load/admin-call.ts';
import type { Replicas } from './replicas.ts';

export interface BudgetedCustomer extends Customer {
  /** The one that they run into, which `load/raise-budgets.ts` raises from time to time. */
  readonly tightest: string;
  readonly raised: { times: number };
}

export const tightAmount = '0.004';
const wideAmount = '40';

interface Services {
  readonly admins: Replicas;
  readonly sessions: Sessions;
}

/** One customer for each level of budgets, which have a period each. */
export function limitByBudgets(services: Services, customers: readonly Customer[]): Promise<BudgetedCustomer[]> {
  return Promise.all(customers.map((customer, index) => limit(services, customer, index)));
}

async function limit({ admins, sessions }: Services, customer: Customer, index: number): Promise<BudgetedCustomer> {
  const token = await sessions.tokenOf(customer);
  const [admin] = admins.alive;
  if (admin === undefined) throw new Error('no admin is running');
  const create = async (path: string, body: object): Promise<Readonly<Record<string, unknown>>> => {
    const response = await askAdmin(admin, ['POST', path], { token, body });
    if (response.status !== 201) throw new Error(`POST ${path}: ${response.status} ${response.code}`);
    return Object(response.body);
  };
  const project = await create('/api/projects', { name: 'chaos' });
  const key = await create('/api/proxy-keys', { name: 'chaos', projectId: project.id });
  const scopeIds: Record<BudgetLevelName, unknown> = {
    key: key.id,
    member: customer.userId,
    project: project.id,
    organization: undefined,
  };
  const ids = await Promise.all(
    budgetLevels.map(async ({ name: scope }, level) => {
      const amount = level === index % budgetLevels.length ? tightAmount : wideAmount;
      const budget = { scope, scopeId: scopeIds[scope], period: periodOf(level), amount };
      return String((await create('/api/budgets', budget)).id);
    }),
  );
  const tightest = ids[index % ids.length] ?? '';
  return { ...customer, proxyKey: String(key.key), proxyKeyId: Number(key.id), tightest, raised: { times: 0 } };
}

function periodOf(level: number): SpendLimitName {
  const row = spendLimits[level % spendLimits.length];
  if (row === undefined) throw new Error('there are no periods');
  return row.name;
}
