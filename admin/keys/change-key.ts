/**
 * Renames, limits, moves, deactivates, reactivates, expires and deletes keys. Every change increments the version, so that
 * Redis never replaces a newer state with an older one. Deletion is permanent.
 */
import { and, eq, isNull, sql } from 'drizzle-orm';
import type { Db, Transaction } from '../database/connect.ts';
import { apiKeys } from '../database/tables/api-keys.ts';
import { writeEvent } from '../operations/webhook-events/write-event.ts';
import { announceKey } from './announce-key.ts';
import { assignKey } from './assign-key.ts';
import { isKey, type Key, type KeyOwner, lockKey, lockKeysOf } from './find-key.ts';
import type { KeyLimitColumns } from './key-limits.ts';
import { lockProjectFor } from './key-project.ts';
import { webhookDataOf } from './webhook-data.ts';

const nameOfForgotten = 'deleted';

export type KeyChange = Partial<Pick<Key, 'name' | 'active' | 'expiresAt' | 'projectId' | 'deletedAt'>> &
  KeyLimitColumns;

/** Undefined if the account has no such key, or it was deleted. Throws as `createKey` does for a project. */
export function changeKey(db: Db | Transaction, owner: KeyOwner, change: KeyChange): Promise<Key | undefined> {
  return db.transaction(async (transaction) => {
    const { projectId } = change;
    const before = projectId === undefined ? undefined : await lockKey(transaction, owner);
    const isMoved = before !== undefined && before.projectId !== projectId;
    if (isMoved) await lockProjectFor(transaction, owner, projectId);
    const assigned = isMoved ? await assignKey(transaction, before, { projectId }) : undefined;
    const [key] = await transaction
      .update(apiKeys)
      .set({ ...change, ...assigned, version: sql`${apiKeys.version} + 1` })
      .where(isKey(owner))
      .returning();
    if (key !== undefined) await announceKey(transaction, key);
    return key;
  });
}

/** All keys of an account, of both kinds; returns how many were active. Waits for keys that are being created. */
export async function deactivateKeysOf(transaction: Transaction, accountId: number): Promise<number> {
  await lockKeysOf(transaction, accountId);
  const keys = await transaction
    .update(apiKeys)
    .set({ active: false, version: sql`${apiKeys.version} + 1` })
    .where(and(eq(apiKeys.accountId, accountId), eq(apiKeys.active, true), isNull(apiKeys.deletedAt)))
    .returning();
  for (const key of keys) await announceKey(transaction, key);
  return keys.length;
}

/**
 * All keys of an account, of both kinds, for good and without the names and addresses that people gave them; returns how many there
 * were. Waits for those that are being created. Proxy keys are refused once the outbox is delivered.
 */
export async function deleteKeysOf(transaction: Transaction, accountId: number): Promise<number> {
  await lockKeysOf(transaction, accountId);
  const keys = await transaction
    .update(apiKeys)
    .set({ active: false, deletedAt: sql`now()`, version: sql`${apiKeys.version} + 1` })
    .where(and(eq(apiKeys.accountId, accountId), isNull(apiKeys.deletedAt)))
    .returning();
  for (const key of keys) await announceKey(transaction, key);
  await transaction
    .update(apiKeys)
    .set({ name: nameOfForgotten, allowedIps: null })
    .where(eq(apiKeys.accountId, accountId));
  return keys.length;
}

export function deleteKey(db: Db | Transaction, owner: KeyOwner): Promise<Key | undefined> {
  return db.transaction(async (transaction) => {
    const key = await changeKey(transaction, owner, { deletedAt: new Date() });
    if (key !== undefined) {
      await writeEvent(transaction, key.accountId, { type: 'key.deleted', data: webhookDataOf(key) });
    }
    return key;
  });
}
