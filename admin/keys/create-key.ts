/** Creates an API key. The key itself is only returned; the row stores its HMAC. */
import { and, count, eq, isNull } from 'drizzle-orm';
import { GatewayError } from '../../shared/errors.ts';
import { displayedPrefix, generateKey, hashKey, type KeyKind, pepperMark } from '../../shared/keys/api-key.ts';
import { shardOfAccount } from '../../shared/wallet/shard.ts';
import type { Db, DbOrTransaction, Transaction } from '../database/connect.ts';
import { refuseDeleted } from '../database/rows/account-state.ts';
import { apiKeys } from '../database/tables/api-keys.ts';
import { writeEvent } from '../operations/webhook-events/write-event.ts';
import { announceKey } from './announce-key.ts';
import { lockKeysOf } from './find-key.ts';
import type { KeyLimitColumns } from './key-limits.ts';
import { lockProjectFor } from './key-project.ts';
import { webhookDataOf } from './webhook-data.ts';

/** Of both kinds, including expired and deactivated ones, because lists of keys are not paginated. */
export const keysOfAccountMax = 1_000;

export interface NewKey extends KeyLimitColumns {
  readonly accountId: number;
  readonly kind: KeyKind;
  readonly name: string;
  readonly expiresAt: Date | null;
  /** The user whose key it is; none if a billing key creates it. */
  readonly createdBy?: number | null;
  readonly projectId?: number | null;
  /** A user who may put it only into a project in which they have a key already. */
  readonly keysOf?: number | undefined;
  /** For the key of a session's playground. */
  readonly sessionId?: string;
}

export interface CreatedKey {
  readonly id: number;
  /** The only time that anyone sees it. */
  readonly key: string;
  readonly prefix: string;
}

/** Throws GatewayError `too_many_keys`, `not_found` for its project, and `invalid_token` if the account was deleted in the meantime. */
export function createKey(db: Db | Transaction, pepper: string, { keysOf, ...order }: NewKey): Promise<CreatedKey> {
  const key = generateKey(order.kind, shardOfAccount(order.accountId));
  const prefix = displayedPrefix(key);
  return db.transaction(async (transaction) => {
    await refuseTooMany(transaction, order.accountId);
    await lockProjectFor(transaction, { accountId: order.accountId, keysOf }, order.projectId);
    const [row] = await transaction
      .insert(apiKeys)
      .values({ ...order, prefix, hash: hashKey(key, pepper), pepperMark: pepperMark(pepper) })
      .returning();
    if (row === undefined) throw new Error('an insert returned no key');
    await announceKey(transaction, row);
    if (row.sessionId === null) {
      await writeEvent(transaction, row.accountId, { type: 'key.created', data: webhookDataOf(row) });
    }
    return { id: row.id, key, prefix };
  });
}

/** One at a time for an account, so that two requests cannot both take the last free place. */
async function refuseTooMany(transaction: DbOrTransaction, accountId: number): Promise<void> {
  await lockKeysOf(transaction, accountId);
  await refuseDeleted(transaction, accountId);
  const [living] = await transaction
    .select({ keys: count() })
    .from(apiKeys)
    .where(and(eq(apiKeys.accountId, accountId), isNull(apiKeys.deletedAt)));
  if (living !== undefined && living.keys >= keysOfAccountMax) throw tooManyKeys();
}

export function tooManyKeys(): GatewayError {
  return new GatewayError('too_many_keys', `An account can have at most ${keysOfAccountMax} keys. Delete one first.`);
}
