/**
 * The proxy key of a session's playground: one at a time, replaced by the next, and deleted when the session ends. Lists
 * of keys leave it out, because no one manages it.
 */
import { and, count, eq, inArray, isNotNull, isNull, lt, or, sql } from 'drizzle-orm';
import { GatewayError } from '../../shared/errors.ts';
import { parseUsd } from '../../shared/money.ts';
import type { DbOrTransaction, Transaction } from '../database/connect.ts';
import { apiKeys } from '../database/tables/api-keys.ts';
import { announceKey } from './announce-key.ts';
import { type CreatedKey, createKey } from './create-key.ts';
import { lockKeysOf } from './find-key.ts';

export const playgroundKeyName = 'Playground';
/** Within a day, so that a key that leaked is soon worth nothing. */
export const playgroundKeyHours = 12;
export const playgroundKeyLimitNano = parseUsd('1');
/** Of an account, in all its sessions. */
export const playgroundKeysMax = 20;

const hourMs = 3_600_000;

export interface PlaygroundKey extends CreatedKey {
  readonly expiresAt: Date;
}

/**
 * Replaces the session's former key, and deletes those of the account that have expired. Throws as `createKey` does, and
 * `too_many_keys` also where the account's other sessions have as many as it may have.
 */
export async function createPlaygroundKey(
  transaction: Transaction,
  pepper: string,
  { accountId, userId, sessionId }: { accountId: number; userId: number; sessionId: string },
): Promise<PlaygroundKey> {
  await lockKeysOf(transaction, accountId);
  await deleteSessionKeys(transaction, { accountId, sessionIds: [sessionId], expiredToo: true });
  await refuseTooMany(transaction, accountId);
  const expiresAt = new Date(Date.now() + playgroundKeyHours * hourMs);
  const person = { accountId, createdBy: userId, sessionId };
  const order = { ...person, kind: 'proxy', name: playgroundKeyName, expiresAt } as const;
  const created = await createKey(transaction, pepper, { ...order, spendLimitTotalNano: playgroundKeyLimitNano });
  return { ...created, expiresAt };
}

async function refuseTooMany(transaction: DbOrTransaction, accountId: number): Promise<void> {
  const [living] = await transaction
    .select({ keys: count() })
    .from(apiKeys)
    .where(and(eq(apiKeys.accountId, accountId), isNotNull(apiKeys.sessionId), isNull(apiKeys.deletedAt)));
  if (living !== undefined && living.keys >= playgroundKeysMax) throw tooManyPlaygroundKeys();
}

export function tooManyPlaygroundKeys(): GatewayError {
  return new GatewayError(
    'too_many_keys',
    `An account can have at most ${playgroundKeysMax} playground keys. Log out of other sessions, or wait until theirs expire.`,
  );
}

/** The caller holds the lock of the account's keys. */
export async function deleteSessionKeys(
  transaction: DbOrTransaction,
  { accountId, sessionIds, expiredToo = false }: { accountId: number; sessionIds: string[]; expiredToo?: boolean },
): Promise<void> {
  const expired = expiredToo ? and(isNotNull(apiKeys.sessionId), lt(apiKeys.expiresAt, sql`now()`)) : undefined;
  if (sessionIds.length === 0 && !expiredToo) return;
  const keys = await transaction
    .update(apiKeys)
    .set({ deletedAt: sql`now()`, version: sql`${apiKeys.version} + 1` })
    .where(
      and(
        eq(apiKeys.accountId, accountId),
        isNull(apiKeys.deletedAt),
        or(inArray(apiKeys.sessionId, sessionIds), expired),
      ),
    )
    .returning();
  for (const key of keys) await announceKey(transaction, key);
}
