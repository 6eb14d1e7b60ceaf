/**
 * Stores a key under the hash of a new pepper. Only a program that is shown the key can make that hash: a proxy, which
 * reports it through the usage stream, or admin for a billing key.
 *
 * Invariant: repeating it changes nothing, and the former hash stays published until every proxy uses the new one.
 */
import { and, eq, isNull, sql } from 'drizzle-orm';
import type { Db, Transaction } from '../database/connect.ts';
import { apiKeys } from '../database/tables/api-keys.ts';
import { announceKey } from './announce-key.ts';

export interface Rehash {
  readonly accountId: number;
  readonly keyId: number;
  readonly formerHash: string;
  readonly hash: string;
  /** Of the pepper that the new hash was made with. */
  readonly pepperMark: string;
}

export function rehashKey(
  db: Db | Transaction,
  { accountId, keyId, formerHash, hash, pepperMark }: Rehash,
): Promise<void> {
  return db.transaction(async (transaction) => {
    const [key] = await transaction
      .update(apiKeys)
      .set({
        ...{ hash, pepperMark, formerHash },
        firstHash: sql`coalesce(${apiKeys.firstHash}, ${formerHash})`,
        rehashedAt: sql`now()`,
        version: sql`${apiKeys.version} + 1`,
      })
      .where(
        and(
          eq(apiKeys.id, keyId),
          eq(apiKeys.accountId, accountId),
          eq(apiKeys.hash, formerHash),
          isNull(apiKeys.deletedAt),
        ),
      )
      .returning();
    if (key !== undefined) await announceKey(transaction, key);
  });
}
