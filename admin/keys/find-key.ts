/** Finds one key of an account. Other accounts' keys, deleted ones and those of playgrounds are not found. */
import { and, eq, isNull } from 'drizzle-orm';
import { GatewayError } from '../../shared/errors.ts';
import type { KeyKind } from '../../shared/keys/api-key.ts';
import { apiKeys } from '../../shared/tables/api-keys.ts';
import type { DbOrTransaction, Transaction } from '../database/connect.ts';
import type { Key } from './announce-key.ts';

/** The key's id and the account. */
export interface KeyOwner {
  readonly id: number;
  readonly accountId: number;
  readonly kind: KeyKind;
}

export const isKey = ({ id, accountId, kind }: KeyOwner) =>
  and(
    eq(apiKeys.id, id),
    eq(apiKeys.accountId, accountId),
    eq(apiKeys.kind, kind),
    isNull(apiKeys.deletedAt),
    isNull(apiKeys.sessionId),
  );

export async function findKey(db: DbOrTransaction, owner: KeyOwner): Promise<Key | undefined> {
  const [key] = await db.select().from(apiKeys).where(isKey(owner));
  return key;
}

/** Locks the key until the transaction ends. */
export async function lockKey(transaction: Transaction, owner: KeyOwner): Promise<Key | undefined> {
  const [key] = await transaction.select().from(apiKeys).where(isKey(owner)).for('update');
  return key;
}

export const keyNotFound = (id: number) => new GatewayError('not_found', `There is no key ${id}.`, { param: 'id' });
