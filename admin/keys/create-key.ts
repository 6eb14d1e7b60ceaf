/** Makes an API key. The key itself exists only in what is returned; the row has its HMAC. */
import { displayedPrefix, generateKey, hashKey, type KeyKind } from '../../shared/keys/api-key.ts';
import { shardOfAccount } from '../../shared/shard.ts';
import { apiKeys } from '../../shared/tables/api-keys.ts';
import type { Db } from '../database/connect.ts';
import { announceKey } from './announce-key.ts';

export interface NewKey {
  readonly accountId: number;
  readonly kind: KeyKind;
  readonly name: string;
  readonly expiresAt: Date | null;
}

export interface CreatedKey {
  readonly id: number;
  /** The only time that anyone sees it. */
  readonly key: string;
  readonly prefix: string;
}

export function createKey(db: Db, pepper: string, order: NewKey): Promise<CreatedKey> {
  const key = generateKey(order.kind, shardOfAccount(order.accountId));
  const prefix = displayedPrefix(key);
  return db.transaction(async (transaction) => {
    const [row] = await transaction
      .insert(apiKeys)
      .values({ ...order, prefix, hash: hashKey(key, pepper) })
      .returning();
    if (row === undefined) throw new Error('an insert returned no key');
    await announceKey(transaction, row);
    return { id: row.id, key, prefix };
  });
}
