/**
 * Budgets of an organization: what may be spent in a period by a key, by a member, in a project, or altogether. Those of keys are
 * their own limits, which the routes of keys change too.
 */
import { and, eq, or, type SQL, sql } from 'drizzle-orm';
import type { Sql } from 'postgres';
import { zoneOffsets } from '../../shared/days-of-zone.ts';
import { GatewayError } from '../../shared/errors.ts';
import { type BudgetLevelName, budgetLevels, type Scope, scopeName } from '../../shared/limits/budget-levels.ts';
import { limitOf, type SpendLimitName, spendLimits, windowEnd } from '../../shared/limits/spend-limits.ts';
import type { ZoneOffsets } from '../../shared/limits/zone-offsets.ts';
import { formatUsd, type NanoUsd, nanoUsd } from '../../shared/money.ts';
import type { WalletKeeper } from '../../shared/wallet/wallet-keeper.ts';
import type { Database, Db, DbOrTransaction, Transaction } from '../database/connect.ts';
import { refuseDeleted } from '../database/rows/account-state.ts';
import { readTimeZone } from '../database/rows/time-zone.ts';
import { memberships, users } from '../database/tables/accounts.ts';
import { apiKeys } from '../database/tables/api-keys.ts';
import { budgets } from '../database/tables/budgets.ts';
import { projects } from '../database/tables/projects.ts';
import { announceKeysOf } from '../keys/announce-key.ts';
import { changeKey } from '../keys/change-key.ts';
import { findKey, listKeys } from '../keys/find-key.ts';
import { readScopeSpend } from '../keys/hydrate-spend.ts';
import { type Actor, recordAction } from '../operations/audit/record-action.ts';
import { lockAsManager, type Manager } from './manager.ts';

/** Where a budget is: there is at most one for a scope and a period. */
export interface BudgetPlace {
  readonly scope: Scope;
  readonly period: SpendLimitName;
}

export interface Budget extends BudgetPlace {
  /** A key, an e-mail address or a project; null for the organization. */
  readonly scopeName: string | null;
  readonly amountNano: NanoUsd;
  /** Percentages of the amount at which a mail is sent. */
  readonly alertsAt: readonly number[];
}

export interface BudgetState extends Budget {
  readonly spentNano: NanoUsd;
  /** What running requests may still spend. */
  readonly reservedNano: NanoUsd;
  /** When its period begins again; null if it never does. */
  readonly resetsAt: Date | null;
}

export interface BudgetChange {
  readonly amountNano?: NanoUsd;
  readonly alertsAt?: readonly number[];
}

/** With `keysOf`, those that apply to the keys of that user. */
export interface BudgetFilter {
  readonly accountId: number;
  readonly keysOf?: number | undefined;
}

interface BudgetServices {
  readonly database: Database;
  /** Undefined if Redis is not available: then what was spent is the ledger's. */
  readonly keeper: WalletKeeper | undefined;
}

/** By level, from the organization to keys, and then by name and period. */
export async function listBudgets(services: BudgetServices, filter: BudgetFilter): Promise<BudgetState[]> {
  const { database } = services;
  const { accountId } = filter;
  const found = [...(await readStored(database.db, filter)), ...(await readOfKeys(database.db, filter))];
  return addSpending(services, accountId, found);
}

/** Throws GatewayError `not_found`. */
export async function findBudget(services: BudgetServices, place: BudgetPlace): Promise<BudgetState> {
  const { level, accountId } = place.scope;
  const read = level === 'key' ? readOfKeys : readStored;
  const budget = (await read(services.database.db, { accountId })).find((each) => budgetId(each) === budgetId(place));
  if (budget === undefined) throw budgetNotFound();
  const [found] = await addSpending(services, accountId, [budget]);
  if (found === undefined) throw budgetNotFound();
  return found;
}

async function addSpending(
  { database, keeper }: BudgetServices,
  accountId: number,
  found: readonly Budget[],
): Promise<BudgetState[]> {
  const now = new Date();
  const zone = zoneOffsets(await readTimeZone(database.sql, accountId), now);
  const spends = new Map<string, Awaited<ReturnType<typeof readSpent>>>();
  for (const { scope } of found) {
    const name = scopeName(scope);
    if (!spends.has(name)) spends.set(name, await readSpent({ sql: database.sql, keeper }, scope, { now, zone }));
  }
  return found.map((budget) => {
    const spend = spends.get(scopeName(budget.scope));
    const limit = limitOf(budget.period);
    return {
      ...budget,
      spentNano: nanoUsd(spend?.spentNano[budget.period] ?? 0n),
      reservedNano: nanoUsd(spend?.heldNano ?? 0n),
      resetsAt: limit.window === undefined ? null : windowEnd(limit, now, zone),
    };
  });
}

/** As Redis counts it, with what is not booked yet; from the ledger where Redis does not count it. */
async function readSpent(
  { sql: ledger, keeper }: { sql: Sql; keeper: WalletKeeper | undefined },
  scope: Scope,
  at: { now: Date; zone: ZoneOffsets },
) {
  const counted = await keeper?.readScopeSpend(scope, at).catch(() => undefined);
  return counted ?? { heldNano: 0n, spentNano: (await readScopeSpend(ledger, scope, at.now)).spentNano };
}

async function readStored(db: DbOrTransaction, { accountId, keysOf }: BudgetFilter): Promise<Budget[]> {
  const ofProject = sql`SELECT project_id FROM api_keys WHERE account_id = ${accountId} AND created_by = ${keysOf}
    AND deleted_at IS NULL`;
  const applies =
    keysOf === undefined
      ? undefined
      : or(
          eq(budgets.level, 'organization'),
          and(eq(budgets.level, 'member'), eq(budgets.scopeId, keysOf)),
          and(eq(budgets.level, 'project'), sql`${budgets.scopeId} IN (${ofProject})`),
        );
  const rows = await db
    .select({ budget: budgets, project: projects.name, email: users.email })
    .from(budgets)
    .leftJoin(projects, and(eq(budgets.level, 'project'), eq(projects.id, budgets.scopeId)))
    .leftJoin(users, and(eq(budgets.level, 'member'), eq(users.id, budgets.scopeId)))
    .where(and(eq(budgets.accountId, accountId), applies))
    .orderBy(
      inOrder(budgets.level, levelNames),
      sql`coalesce(${projects.name}, ${users.email})`,
      inPeriods(budgets.period),
    );
  return rows.map(({ budget: { level, scopeId: id, period, amountNano, alertsAt }, project, email }) => ({
    scope: { level, accountId, id },
    scopeName: project ?? email,
    period,
    amountNano: nanoUsd(amountNano),
    alertsAt,
  }));
}

const levelNames = budgetLevels.map(({ name }) => name).toReversed();
const inOrder = (column: SQL | typeof budgets.level | typeof budgets.period, names: readonly string[]) =>
  sql`array_position(${sql.param(`{${names.join(',')}}`)}::text[], ${column})`;
const inPeriods = (column: typeof budgets.period) =>
  inOrder(
    column,
    spendLimits.map(({ name }) => name),
  );

async function readOfKeys(db: DbOrTransaction, filter: BudgetFilter): Promise<Budget[]> {
  const keys = await listKeys(db, { ...filter, kind: 'proxy' });
  return keys
    .toSorted((one, other) => one.name.localeCompare(other.name) || one.id - other.id)
    .flatMap((key) =>
      spendLimits.flatMap(({ name, property }) => {
        const amount = key[property];
        if (amount === null) return [];
        const scope = { level: 'key', accountId: filter.accountId, id: key.id } as const;
        return [{ scope, scopeName: key.name, period: name, amountNano: nanoUsd(amount), alertsAt: [] }];
      }),
    );
}

type NewBudget = Omit<Budget, 'scopeName'>;

interface PlacedChange {
  readonly place: BudgetPlace;
  readonly change: BudgetChange;
}

/** Throws GatewayError `role_required`, `budget_exists`, or `not_found` for its scope. */
export function createBudget(db: Db, actor: Actor, manager: Manager, budget: NewBudget): Promise<void> {
  return asManager(db, manager, (transaction) => addBudget(transaction, actor, budget));
}

/** An amount counts from what the period has already spent. Throws GatewayError `role_required` or `not_found`. */
export function changeBudget(db: Db, actor: Actor, manager: Manager, input: PlacedChange): Promise<void> {
  return asManager(db, manager, (transaction) => applyBudgetChange(transaction, actor, input));
}

/** Throws GatewayError `role_required` or `not_found`. */
export function deleteBudget(db: Db, actor: Actor, manager: Manager, place: BudgetPlace): Promise<void> {
  return asManager(db, manager, (transaction) => removeBudget(transaction, actor, place));
}

function asManager(db: Db, manager: Manager, work: (transaction: Transaction) => Promise<void>): Promise<void> {
  return db.transaction(async (transaction) => {
    await lockAsManager(transaction, manager, 'budgets:manage');
    await work(transaction);
  });
}

/** The account is locked, here and below. */
export async function addBudget(
  transaction: Transaction,
  actor: Actor,
  { scope, period, amountNano, alertsAt }: NewBudget,
): Promise<void> {
  await refuseDeleted(transaction, scope.accountId);
  await refuseUnknownScope(transaction, scope);
  if ((await findStored(transaction, { scope, period })) !== undefined) throw budgetExists();
  if (scope.level === 'key') await setOfKey(transaction, { scope, period }, amountNano);
  else {
    const { level, accountId, id: scopeId } = scope;
    await transaction
      .insert(budgets)
      .values({ accountId, level, scopeId, period, amountNano, alertsAt: [...alertsAt] });
  }
  await finish(transaction, actor, { place: { scope, period }, action: 'create', after: { amountNano, alertsAt } });
}

export async function applyBudgetChange(
  transaction: Transaction,
  actor: Actor,
  { place, change }: PlacedChange,
): Promise<void> {
  const before = await findStored(transaction, place);
  if (before === undefined) throw budgetNotFound();
  const after = { ...before, ...change };
  if (place.scope.level === 'key') await setOfKey(transaction, place, after.amountNano);
  else {
    await transaction
      .update(budgets)
      .set({
        ...{ amountNano: after.amountNano, alertsAt: [...after.alertsAt] },
        ...(after.amountNano > before.amountNano && { windowStart: null }),
        // While it had no alerts, nothing was counted for them.
        ...(before.alertsAt.length === 0 && { windowStart: null, alertedPercent: 0 }),
      })
      .where(isStored(place));
  }
  await finish(transaction, actor, { place, action: 'update', before, after });
}

export async function removeBudget(transaction: Transaction, actor: Actor, place: BudgetPlace): Promise<void> {
  const before = await findStored(transaction, place);
  if (before === undefined) throw budgetNotFound();
  if (place.scope.level === 'key') await setOfKey(transaction, place, null);
  else await transaction.delete(budgets).where(isStored(place));
  await finish(transaction, actor, { place, action: 'delete', before });
}

type Amounts = Required<BudgetChange>;

const isStored = ({ scope: { level, accountId, id }, period }: BudgetPlace) =>
  and(
    eq(budgets.accountId, accountId),
    sql`${budgets.level} = ${level}`,
    eq(budgets.scopeId, id),
    eq(budgets.period, period),
  );

async function findStored(transaction: Transaction, place: BudgetPlace): Promise<Amounts | undefined> {
  const { scope, period } = place;
  if (scope.level !== 'key') {
    const [row] = await transaction.select().from(budgets).where(isStored(place));
    return row && { amountNano: nanoUsd(row.amountNano), alertsAt: row.alertsAt };
  }
  const key = await findKey(transaction, { accountId: scope.accountId, id: scope.id, kind: 'proxy' });
  const amountNano = key?.[limitOf(period).property] ?? null;
  return amountNano === null ? undefined : { amountNano: nanoUsd(amountNano), alertsAt: [] };
}

async function setOfKey(
  transaction: Transaction,
  { scope: { accountId, id }, period }: BudgetPlace,
  amountNano: bigint | null,
): Promise<void> {
  await changeKey(transaction, { accountId, id, kind: 'proxy' }, { [limitOf(period).property]: amountNano });
}

async function refuseUnknownScope(transaction: Transaction, { level, accountId, id }: Scope): Promise<void> {
  const found = await transaction.execute<{ found: boolean }>(
    sql`SELECT (${isInAccount(level, { accountId, id })}) AS found`,
  );
  if (found[0]?.found !== true) throw scopeNotFound(level, id);
}

function isInAccount(level: BudgetLevelName, { accountId, id }: { accountId: number; id: number }): SQL {
  switch (level) {
    case 'organization':
      return sql`${id} = ${accountId}`;
    case 'project':
      return sql`EXISTS (SELECT FROM projects WHERE id = ${id} AND account_id = ${accountId})`;
    case 'member':
      return sql`EXISTS (SELECT FROM ${memberships} WHERE user_id = ${id} AND account_id = ${accountId})`;
    case 'key':
      return sql`EXISTS (SELECT FROM ${apiKeys} WHERE id = ${id} AND account_id = ${accountId} AND kind = 'proxy'
        AND deleted_at IS NULL AND session_id IS NULL)`;
  }
}

interface Done {
  readonly place: BudgetPlace;
  readonly action: 'create' | 'update' | 'delete';
  readonly before?: Amounts;
  readonly after?: Amounts;
}

async function finish(transaction: Transaction, actor: Actor, { place, action, before, after }: Done): Promise<void> {
  const { accountId } = place.scope;
  if (place.scope.level !== 'key') await announceKeysOf(transaction, { accountId });
  const audited = ({ amountNano, alertsAt }: Amounts) => ({ amount: formatUsd(amountNano), alertsAt });
  await recordAction(transaction, actor, {
    action: `budget.${action}`,
    subject: `budget ${budgetId(place)}`,
    accountId,
    ...(before !== undefined && { before: audited(before) }),
    ...(after !== undefined && { after: audited(after) }),
  });
}

/** `organization-month`, `project-3-day`. */
export function budgetId({ scope: { level, id }, period }: BudgetPlace): string {
  return level === 'organization' ? `${level}-${period}` : `${level}-${id}-${period}`;
}

/** The inverse. Throws GatewayError `not_found`. */
export function parseBudgetId(accountId: number, text: string): BudgetPlace {
  const [, levelText, idText = String(accountId), periodText] = /^([a-z]+)(?:-(\d{1,15}))?-([a-z]+)$/.exec(text) ?? [];
  const level = budgetLevels.find(({ name }) => name === levelText)?.name;
  const period = spendLimits.find(({ name }) => name === periodText)?.name;
  if (level === undefined || period === undefined) throw budgetNotFound();
  const place = { scope: { level, accountId, id: Number(idText) }, period };
  if (budgetId(place) !== text) throw budgetNotFound();
  return place;
}

export const budgetNotFound = () => new GatewayError('not_found', 'There is no such budget.', { param: 'id' });

export const scopeNotFound = (level: BudgetLevelName, id: number) =>
  new GatewayError('not_found', `There is no ${level} ${id}.`, { param: 'scopeId' });

export const budgetExists = () =>
  new GatewayError('budget_exists', 'There is a budget for this scope and period already. Change it instead.', {
    param: 'period',
  });
