/** Customers whose key, project, member and organization have a budget each, one of which they run into again and again. */
import { budgetLevels } from '../../../shared/limits/budget-levels.ts';
import { recordOf } from '../../../shared/members.ts';
import { type NanoUsd, parseUsd } from '../../../shared/money.ts';
import type { Customer } from '../../harness/customers.ts';
import { giveBudgets } from '../../harness/give-budgets.ts';
import { askAdmin, type Sessions } from '../load/admin-call.ts';
import type { Replicas } from './replicas.ts';

export interface BudgetedCustomer extends Customer {
  /** The one that they run into, which `load/raise-budgets.ts` raises from time to time. */
  readonly tightest: string;
  /** The most that it was ever raised to: calls of two admins may be done in another order than they were made. */
  readonly raised: { amountNano: NanoUsd };
}

const tightAmount = '0.001';
const wideAmount = '40';

interface Services {
  readonly admins: Replicas;
  readonly sessions: Sessions;
}

/** Each customer runs into a budget of the next level. */
export function limitByBudgets(services: Services, customers: readonly Customer[]): Promise<BudgetedCustomer[]> {
  return Promise.all(customers.map((customer, index) => limit(services, customer, index)));
}

async function limit({ admins, sessions }: Services, customer: Customer, index: number): Promise<BudgetedCustomer> {
  const token = await sessions.tokenOf(customer);
  const [admin] = admins.alive;
  const tight = budgetLevels[index % budgetLevels.length]?.name;
  if (admin === undefined || tight === undefined) throw new Error('no admin is running');
  const create = async (path: string, body: object) => {
    const response = await askAdmin(admin, ['POST', path], { token, body });
    if (response.status !== 201) throw new Error(`POST ${path}: ${response.status} ${response.code}`);
    return Object(response.body);
  };
  const amounts = recordOf(budgetLevels, ({ name }) => [name, name === tight ? tightAmount : wideAmount]);
  const budgeted = await giveBudgets(create, customer, amounts);
  return {
    ...budgeted.customer,
    tightest: budgeted.ids.get(tight) ?? '',
    raised: { amountNano: parseUsd(tightAmount) },
  };
}
