/**
 * Puts the present state of a proxy key on its way to Redis, in the transaction that changed it. Billing keys stay
 * here: nothing but admin looks them up.
 */
import type { apiKeys } from '../../shared/tables/api-keys.ts';
import { outbox } from '../../shared/tables/outbox.ts';
import type { DbOrTransaction } from '../database/connect.ts';

export type Key = typeof apiKeys.$inferSelect;

export async function announceKey(transaction: DbOrTransaction, key: Key): Promise<void> {
  if (key.kind !== 'proxy') return;
  await transaction.insert(outbox).values({ topic: 'key', accountId: key.accountId, keyId: key.id });
}
