/** Compares what was spent within budgets with their amounts, and with what Redis counts. */
import { readScopeSpend } from '../../../admin/keys/hydrate-spend.ts';
import { budgetId, listBudgets } from '../../../admin/organizations/budgets.ts';
import type { Attempt } from '../load/attempt.ts';
import { costAt } from '../load/plan.ts';
import type { World } from '../world/world.ts';

/** Expected to be empty. */
export async function verifyBudgets(world: World, attempts: readonly Attempt[]): Promise<string[]> {
  const { database, keeper, budgeted } = world;
  const problems: string[] = [];
  for (const { accountId } of budgeted) {
    for (const budget of await listBudgets({ database, keeper }, { accountId })) {
      const { scope, period, amountNano, spentNano, reservedNano } = budget;
      const ledger = await readScopeSpend(database.sql, scope, new Date());
      const booked = ledger.spentNano[period];
      const name = `account ${accountId}, budget ${budgetId(budget)} of ${amountNano}`;
      if (reservedNano !== 0n) problems.push(`${name}: ${reservedNano} are held`);
      if (spentNano !== booked) problems.push(`${name}: Redis counts ${spentNano}, the ledger ${booked}`);
      const forgottenNano = costWhileForgotten(world, attempts, accountId);
      if (booked > amountNano + forgottenNano)
        problems.push(`${name}: ${booked} were spent, and ${forgottenNano} forgotten`);
    }
  }
  return problems;
}

/**
 * What requests may have cost that were running when Redis lost what it held of the budgets for them: until their proxies hold it
 * anew, others may get it.
 */
function costWhileForgotten({ incidents, provider }: World, attempts: readonly Attempt[], accountId: number): bigint {
  const losses = incidents.filter(({ losesWrites }) => losesWrites);
  let nano = 0n;
  for (const { customer, plan, startedAtMs, endedAtMs } of attempts) {
    const wasForgotten = losses.some(
      ({ fromMs, untilMs }) => startedAtMs <= (untilMs ?? Number.POSITIVE_INFINITY) && endedAtMs >= fromMs,
    );
    if (customer.accountId !== accountId || !wasForgotten) continue;
    const { promptTokens, outputTokens } = provider.truthOf(plan);
    nano += costAt(plan.model, { prompt: promptTokens, completion: outputTokens });
  }
  return nano;
}
