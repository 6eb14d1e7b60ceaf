/** What an organization has its usage attributed to, besides keys, projects and members: values that its clients send. */
import { and, asc, eq, notInArray } from 'drizzle-orm';
import { type DimensionName, metadataDimension, metadataNameOf } from '../../shared/usage/dimension-names.ts';
import type { Db, DbOrTransaction, Transaction } from '../database/connect.ts';
import { refuseDeleted } from '../database/rows/account-state.ts';
import { dimensions, dimensionTotals, dimensionValues } from '../database/tables/dimensions.ts';
import { announceKeysOf } from '../keys/announce-key.ts';
import { type Dimension, listDimensions } from '../ledger/queries/charged-dimensions.ts';
import { type Actor, recordAction } from '../operations/audit/record-action.ts';
import { lockAsManager, type Manager } from './manager.ts';

/** Names of `metadata` at the same time. */
export const metadataNamesMax = 5;

export interface DimensionSettings {
  /** Names of `metadata`. */
  readonly metadata: readonly string[];
  readonly user: boolean;
}

/** Undefined stays as it is. */
export type DimensionChange = Partial<DimensionSettings>;

export function settingsOf(found: readonly Dimension[]): DimensionSettings {
  const names = found.filter(({ active }) => active).map(({ name }) => name);
  return { metadata: names.flatMap((name) => metadataNameOf(name) ?? []), user: names.includes('user') };
}

/** The keys have to be delivered by the caller. Throws GatewayError `role_required`. */
export function changeDimensions(db: Db, actor: Actor, manager: Manager, change: DimensionChange): Promise<void> {
  const { accountId } = manager;
  return db.transaction(async (transaction) => {
    await lockDimensions(transaction, accountId);
    await lockAsManager(transaction, manager, 'projects:manage');
    await refuseDeleted(transaction, accountId);
    const before = settingsOf(await listDimensions(transaction, accountId));
    const after = { ...before, ...change };
    await store(transaction, accountId, after);
    await announceKeysOf(transaction, { accountId });
    await recordAction(transaction, actor, {
      action: 'dimensions.update',
      subject: `account ${accountId}`,
      accountId,
      before: { metadata: [...before.metadata], user: before.user },
      after: { metadata: [...after.metadata], user: after.user },
    });
  });
}

/** Those that are no longer asked for stay, because usage is attributed to them. */
async function store(
  transaction: Transaction,
  accountId: number,
  { metadata, user }: DimensionSettings,
): Promise<void> {
  const names: DimensionName[] = [...(user ? (['user'] as const) : []), ...metadata.map(metadataDimension)];
  await transaction
    .update(dimensions)
    .set({ active: false })
    .where(and(eq(dimensions.accountId, accountId), notInArray(dimensions.name, names)));
  if (names.length === 0) return;
  await transaction
    .insert(dimensions)
    .values(names.map((name) => ({ accountId, name, active: true })))
    .onConflictDoUpdate({ target: [dimensions.accountId, dimensions.name], set: { active: true } });
}

/** Before the account is locked, as charges are booked in this order. */
export async function lockDimensions(transaction: DbOrTransaction, accountId: number): Promise<number[]> {
  const locked = await transaction
    .select({ id: dimensions.id })
    .from(dimensions)
    .where(eq(dimensions.accountId, accountId))
    .orderBy(asc(dimensions.id))
    .for('update');
  return locked.map(({ id }) => id);
}

/** Erases all values; events keep their numbers, which mean nothing any more. They are locked, and so is the account. */
export async function forgetDimensions(transaction: Transaction, accountId: number): Promise<void> {
  for (const id of await lockDimensions(transaction, accountId)) {
    await transaction.delete(dimensionTotals).where(eq(dimensionTotals.dimensionId, id));
    await transaction.delete(dimensionValues).where(eq(dimensionValues.dimensionId, id));
  }
  await transaction.delete(dimensions).where(eq(dimensions.accountId, accountId));
}
