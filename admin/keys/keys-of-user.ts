/** What becomes of the proxy keys that someone has created when they leave the organization. Billing keys are no one's own. */
import { and, eq, isNull, sql } from 'drizzle-orm';
import type { Transaction } from '../database/connect.ts';
import { apiKeys } from '../database/tables/api-keys.ts';
import { announceKey } from './announce-key.ts';
import { assignKey } from './assign-key.ts';
import { lockKeysOf } from './find-key.ts';
import { deleteSessionKeys } from './session-keys.ts';

interface Creator {
  readonly accountId: number;
  readonly userId: number;
}

const isBy = ({ accountId, userId }: Creator) =>
  and(
    eq(apiKeys.accountId, accountId),
    eq(apiKeys.createdBy, userId),
    eq(apiKeys.kind, 'proxy'),
    isNull(apiKeys.deletedAt),
  );

/** Returns how many were active. Waits for those that are being created. */
export async function deactivateKeysBy(transaction: Transaction, creator: Creator): Promise<number> {
  await lockKeysOf(transaction, creator.accountId);
  const keys = await transaction
    .update(apiKeys)
    .set({ active: false, version: sql`${apiKeys.version} + 1` })
    .where(and(isBy(creator), eq(apiKeys.active, true)))
    .returning();
  for (const key of keys) await announceKey(transaction, key);
  return keys.length;
}

/**
 * They continue as they are; what they are charged from now on is attributed to the new user. Those of playgrounds, which no one
 * manages, are deleted. Returns how many were handed over.
 */
export async function handOverKeys(
  transaction: Transaction,
  { to, ...creator }: Creator & { to: number },
): Promise<number> {
  await lockKeysOf(transaction, creator.accountId);
  const all = await transaction.select().from(apiKeys).where(isBy(creator)).orderBy(apiKeys.id).for('update');
  const sessionIds = all.flatMap(({ sessionId }) => sessionId ?? []);
  await deleteSessionKeys(transaction, { accountId: creator.accountId, sessionIds });
  const keys = all.filter(({ sessionId }) => sessionId === null);
  for (const key of keys) {
    const assigned = await assignKey(transaction, key, { createdBy: to });
    const [moved] = await transaction
      .update(apiKeys)
      .set({ ...assigned, version: sql`${apiKeys.version} + 1` })
      .where(eq(apiKeys.id, key.id))
      .returning();
    if (moved !== undefined) await announceKey(transaction, moved);
  }
  return keys.length;
}
