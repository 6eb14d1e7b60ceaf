/**
 * Queues the state of a proxy key for delivery to Redis, in the transaction that changed it. Billing keys are not
 * published: only admin looks them up.
 */
import { and, eq, isNull, sql } from 'drizzle-orm';
import type { DbOrTransaction } from '../database/connect.ts';
import { apiKeys } from '../database/tables/api-keys.ts';
import { outbox } from '../database/tables/wallets.ts';
import { type Key, lockKeysOf } from './find-key.ts';

export async function announceKey(transaction: DbOrTransaction, key: Key): Promise<void> {
  if (key.kind !== 'proxy') return;
  await transaction.insert(outbox).values({ topic: 'key', accountId: key.accountId, keyId: key.id });
}

/**
 * The same for all proxy keys of an account, or those of one of its projects, after a change that affects all of them. Waits
 * for keys that are being created: one that it missed would be published without the change.
 */
export async function announceKeysOf(
  transaction: DbOrTransaction,
  { accountId, projectId }: { accountId: number; projectId?: number },
): Promise<void> {
  await lockKeysOf(transaction, accountId);
  const ofProject = projectId === undefined ? undefined : eq(apiKeys.projectId, projectId);
  const keys = await transaction
    .update(apiKeys)
    .set({ version: sql`${apiKeys.version} + 1` })
    .where(and(eq(apiKeys.accountId, accountId), eq(apiKeys.kind, 'proxy'), isNull(apiKeys.deletedAt), ofProject))
    .returning();
  if (keys.length === 0) return;
  await transaction.insert(outbox).values(keys.map(({ id: keyId }) => ({ topic: 'key' as const, accountId, keyId })));
}
