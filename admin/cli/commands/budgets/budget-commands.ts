/** `gateway budget list`, `create`, `update` and `delete`: what members do on the page of the organization. */
import { checkValue } from '../../../../shared/http/check-value.ts';
import { spendLimits } from '../../../../shared/limits/spend-limits.ts';
import { withoutUndefined } from '../../../../shared/members.ts';
import { WalletKeeper } from '../../../../shared/wallet/wallet-keeper.ts';
import {
  changeBudgetBody,
  newBudgetBody,
  parseBudgetChange,
  parseNewBudget,
  refuseAlertsOfKey,
  renderBudget,
} from '../../../api/organizations/budgets/budget-schemas.ts';
import type { Database, Transaction } from '../../../database/connect.ts';
import { lockAccount } from '../../../database/rows/lock-account.ts';
import { commandActor } from '../../../operations/audit/command-actor.ts';
import {
  addBudget,
  applyBudgetChange,
  type BudgetPlace,
  type BudgetState,
  budgetId,
  listBudgets,
  parseBudgetId,
  removeBudget,
} from '../../../organizations/budgets.ts';
import { command, type Outcome, UsageError } from '../../command.ts';
import { deliverNow } from '../../deliver-now.ts';
import { listOf } from '../../list.ts';
import { withDatabase } from '../../with-database.ts';
import { withRedis } from '../../with-redis.ts';
import { accountArguments, findNamedAccount, readId } from '../accounts/name-account.ts';

type Shown = ReturnType<typeof renderBudget>;

const columns = {
  BUDGET: ({ id }: Shown) => id,
  'AMOUNT, $': ({ amountUsd }: Shown) => amountUsd,
  'SPENT, $': ({ spentUsd }: Shown) => spentUsd,
  'BEGINS AGAIN': ({ resetsAt }: Shown) => resetsAt ?? 'never',
  OF: ({ scopeName }: Shown) => scopeName ?? 'the organization',
};

const budgetArgument = {
  ...accountArguments,
  id: { type: 'string', required: true, description: "The budget's id, as `budget list` shows it" },
} as const;
const amountArguments = {
  alerts: { type: 'string', description: 'Percentages at which a mail is sent, such as 50,80,100, or none' },
} as const;

export const budgetList = command({
  description: 'List the budgets of an organization',
  args: accountArguments,
  run: (named) =>
    withDatabase(async (database) => {
      const accountId = await findNamedAccount(database, named);
      const budgets = (await readBudgets(database, accountId)).map(renderBudget);
      return { text: listOf(budgets, { none: `Account ${accountId} has no budgets.`, columns }), object: { budgets } };
    }),
});

export const budgetCreate = command({
  description: 'Create a budget',
  args: {
    ...accountArguments,
    scope: { type: 'string', required: true, description: 'organization, project, member or key' },
    'scope-id': { type: 'string', description: 'The id of the project, user or key' },
    period: { type: 'string', required: true, description: `One of ${spendLimits.map(({ name }) => name).join(', ')}` },
    amount: { type: 'string', required: true, description: 'USD, such as 50 or 0.25' },
    ...amountArguments,
  },
  run: ({ account, email, scope, 'scope-id': scopeId, period, amount, alerts }) => {
    const id = scopeId === undefined ? undefined : readId(scopeId, '--scope-id');
    const fields = withoutUndefined({ scope, scopeId: id, period, amount, alertsAt: readAlerts(alerts) });
    const input = checkValue(newBudgetBody, fields);
    return change({ account, email }, (accountId) => {
      const budget = parseNewBudget(accountId, input);
      return { place: budget, work: (transaction) => addBudget(transaction, commandActor(), budget) };
    });
  },
});

export const budgetUpdate = command({
  description: 'Change the amount or the alerts of a budget',
  args: { ...budgetArgument, amount: { type: 'string', description: 'USD, such as 50 or 0.25' }, ...amountArguments },
  run: ({ account, email, id, amount, alerts }) => {
    const fields = withoutUndefined({ amount, alertsAt: readAlerts(alerts) });
    if (Object.keys(fields).length === 0) throw new UsageError('Give an option to change, such as --amount.');
    const changes = parseBudgetChange(checkValue(changeBudgetBody, fields));
    return change({ account, email }, (accountId) => {
      const place = parseBudgetId(accountId, id);
      refuseAlertsOfKey(place.scope, changes.alertsAt ?? []);
      const work = (transaction: Transaction) =>
        applyBudgetChange(transaction, commandActor(), { place, change: changes });
      return { place, work };
    });
  },
});

export const budgetDelete = command({
  description: 'Delete a budget',
  args: budgetArgument,
  run: ({ account, email, id }) =>
    change({ account, email }, (accountId) => {
      const place = parseBudgetId(accountId, id);
      return { place, work: (transaction) => removeBudget(transaction, commandActor(), place) };
    }),
});

interface Planned {
  readonly place: BudgetPlace;
  readonly work: (transaction: Transaction) => Promise<void>;
}

function change(
  named: { account?: string | undefined; email?: string | undefined },
  plan: (accountId: number) => Planned,
): Promise<Outcome> {
  return withDatabase(async (database) => {
    const accountId = await findNamedAccount(database, named);
    const { place, work } = plan(accountId);
    await database.db.transaction(async (transaction) => {
      await lockAccount(transaction, accountId);
      await work(transaction);
    });
    const delivery = await deliverNow(database, accountId);
    const found = (await readBudgets(database, accountId)).find((each) => budgetId(each) === budgetId(place));
    if (found === undefined)
      return { text: `Deleted budget ${budgetId(place)}. ${delivery}`, object: { id: budgetId(place) } };
    const budget = renderBudget(found);
    return { text: [listOf([budget], { none: '', columns }), '', delivery], object: budget };
  });
}

async function readBudgets(database: Database, accountId: number): Promise<BudgetState[]> {
  let budgets: BudgetState[] | undefined;
  await withRedis(async (redis) => {
    budgets = await listBudgets({ database, keeper: new WalletKeeper(redis) }, { accountId });
  });
  return budgets ?? listBudgets({ database, keeper: undefined }, { accountId });
}

function readAlerts(text: string | undefined): number[] | undefined {
  if (text === undefined) return undefined;
  return text === 'none' ? [] : text.split(',').map((percent) => Number(percent.trim()));
}
