/**
 * Compares what Redis counts for budgets with the ledger. Only where nothing is on its way: the shard's stream is empty and the
 * record is the same before and after the ledger was read.
 */
import type { Sql } from 'postgres';
import { zoneOffsets } from '../../../../shared/days-of-zone.ts';
import { type BudgetLevelName, type Scope as SpendScope, scopeName } from '../../../../shared/limits/budget-levels.ts';
import { spendLimits } from '../../../../shared/limits/spend-limits.ts';
import { formatUsd, nanoUsd } from '../../../../shared/money.ts';
import type { CountedSpend } from '../../../../shared/wallet/counted-spend.ts';
import { shardOfAccount } from '../../../../shared/wallet/shard.ts';
import { readTimeZone } from '../../../database/rows/time-zone.ts';
import { readScopeSpend } from '../../../keys/hydrate-spend.ts';
import type { Scope, Violation } from '../reconciliation.ts';
import type { ReconcileServices } from './take-readings.ts';

/** Of all accounts; each run takes others. */
const scopesMax = 500;

export async function findBudgetDrift(
  services: ReconcileServices,
  scope: Scope,
  signal?: AbortSignal,
): Promise<Violation[]> {
  const violations: Violation[] = [];
  for (const each of await readScopes(services.sql, scope)) {
    signal?.throwIfAborted();
    const message = await compare(services, each);
    if (message !== undefined) violations.push(violationOf(each, message));
  }
  return violations;
}

/** Those that have a budget. */
async function readScopes(sql: Sql, { accountId }: Scope): Promise<SpendScope[]> {
  const isMeant = accountId === undefined ? sql`` : sql`AND account_id = ${accountId}`;
  const hasLimit = spendLimits.map(({ column }) => sql`OR ${sql(column)} IS NOT NULL`);
  const rows = await sql<{ account_id: string; level: BudgetLevelName; id: string }[]>`
    SELECT * FROM (
      SELECT DISTINCT account_id, level, scope_id AS id FROM budgets WHERE true ${isMeant}
      UNION ALL
      SELECT account_id, 'key', id FROM api_keys
      WHERE kind = 'proxy' AND deleted_at IS NULL AND (false ${hasLimit}) ${isMeant}
    ) AS scopes
    ORDER BY random() LIMIT ${accountId === undefined ? scopesMax : null}`;
  return rows.map(({ account_id, level, id }) => ({ level, accountId: Number(account_id), id: Number(id) }));
}

/** What differs; undefined if nothing does, or that cannot be told now. */
async function compare({ sql, auditor }: ReconcileServices, scope: SpendScope): Promise<string | undefined> {
  const { accountId } = scope;
  const now = new Date();
  const zone = zoneOffsets(await readTimeZone(sql, accountId), now);
  const before = await auditor.readCounted(scope, { now, zone });
  if (before === undefined || (await auditor.waiting(shardOfAccount(accountId))) > 0) return undefined;
  const { spentNano } = await readScopeSpend(sql, scope, now);
  const after = await auditor.readCounted(scope, { now, zone });
  if (after === undefined || !isSame(before, after)) return undefined;
  const wrong = spendLimits.find(({ name }) => after.spentNano[name] !== spentNano[name]);
  if (wrong === undefined) return undefined;
  const counted = formatUsd(nanoUsd(after.spentNano[wrong.name]));
  return `Redis counts $${counted} ${wrong.per}, the ledger has $${formatUsd(nanoUsd(spentNano[wrong.name]))}`;
}

const isSame = (one: CountedSpend, other: CountedSpend) =>
  spendLimits.every(({ name }) => one.spentNano[name] === other.spentNano[name]);

function violationOf(scope: SpendScope, message: string): Violation {
  const { level, accountId, id } = scope;
  return {
    kind: 'budget_wrong',
    subject: `budget ${scopeName(scope)}`,
    accountId,
    amountNano: null,
    message: `Account ${accountId}: for the budgets of ${level} ${id}, ${message}.`,
  };
}
