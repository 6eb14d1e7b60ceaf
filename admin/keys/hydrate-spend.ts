/**
 * Sends to Redis what was spent within a scope, from the ledger's totals: as the base of its budgets, or of a key only for
 * display.
 */
import type { Sql, TransactionSql } from 'postgres';
import { zoneOffsets } from '../../shared/days-of-zone.ts';
import { type Scope, scopeName } from '../../shared/limits/budget-levels.ts';
import { type PerSpendLimit, perSpendLimit, windowedLimits, windowStart } from '../../shared/limits/spend-limits.ts';
import type { ScopeSpend, WalletKeeper } from '../../shared/wallet/wallet-keeper.ts';
import { readTimeZone } from '../database/rows/time-zone.ts';

interface SpendServices {
  readonly sql: Sql;
  readonly keeper: WalletKeeper;
}

/** An entry of the usage stream that asks for it, with its time; every charge before it is booked, and none after it. */
export interface Asked {
  /** Undefined for one of an older version. */
  readonly id: string | undefined;
  readonly at: Date;
}

export async function hydrateSpend({ sql, keeper }: SpendServices, scope: Scope, { id, at }: Asked): Promise<void> {
  await keeper.hydrateSpend({ ...(await readScopeSpend(sql, scope, at)), asked: id });
}

export async function showKeySpend(
  { sql, keeper }: SpendServices,
  { accountId, keyId }: { accountId: number; keyId: number },
  now: Date,
): Promise<void> {
  await keeper.showSpend(await readScopeSpend(sql, { level: 'key', accountId, id: keyId }, now));
}

/** In the windows of a moment. A charge booked after its window has ended counts for the window of the charge. */
export async function readScopeSpend(sql: Sql, scope: Scope, at: Date): Promise<ScopeSpend> {
  const { accountId } = scope;
  const zone = zoneOffsets(await readTimeZone(sql, accountId), at);
  const starts = new Map(windowedLimits.map((limit) => [limit.name, windowStart(limit, at, zone).toISOString()]));
  const sums = Array.from(starts, ([name, start]) => sql`(${sumSince(sql, scope, start)}) AS ${sql(name)},`);
  // One statement, so one snapshot.
  const [row] = await sql<PerSpendLimit<string>[]>`SELECT ${sums} (${inTotal(sql, scope)}) AS total`;
  if (row === undefined) throw new Error('a sum without a row');
  const spentNano = perSpendLimit(({ name }) => BigInt(row[name]));
  return { accountId, scope: scopeName(scope), at, zone, spentNano };
}

/** What was booked within a scope, since a moment at a full quarter of an hour or in total. */
export async function sumScope(sql: TransactionSql, scope: Scope, since: Date | undefined): Promise<bigint> {
  const sum = since === undefined ? inTotal(sql, scope) : sumSince(sql, scope, since.toISOString());
  const [row] = await sql<{ nano: string }[]>`SELECT (${sum}) AS nano`;
  return BigInt(row?.nano ?? '0');
}

function sumSince(sql: Sql | TransactionSql, scope: Scope, since: string) {
  return sql`
    SELECT coalesce(sum(total.cost_nano), 0) FROM key_costs_between(${scope.accountId}, ${since}::timestamptz, 'infinity') AS total
    WHERE true ${assignedTo(sql, scope)}`;
}

function inTotal(sql: Sql | TransactionSql, scope: Scope) {
  if (scope.level === 'organization') return sql`SELECT spent_nano FROM accounts WHERE id = ${scope.accountId}`;
  return sumSince(sql, scope, '-infinity');
}

/** Which of the account's totals are of a scope. */
function assignedTo(sql: Sql | TransactionSql, { level, accountId, id }: Scope) {
  const assignments = sql`SELECT id FROM assignments WHERE account_id = ${accountId}`;
  switch (level) {
    case 'organization':
      return sql``;
    case 'key':
      return sql`AND total.key_id IN (${assignments} AND key_id = ${id})`;
    case 'member':
      return sql`AND total.key_id IN (${assignments} AND user_id = ${id})`;
    case 'project':
      return sql`AND total.key_id IN (${assignments} AND project_id = ${id})`;
  }
}
