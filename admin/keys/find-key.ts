/**
 * Finds and locks the keys of an account, and says whether they can be used. Other accounts' keys, deleted ones and
 * those of playgrounds are not found.
 */
import { and, desc, eq, isNull, sql } from 'drizzle-orm';
import { GatewayError } from '../../shared/errors.ts';
import type { KeyKind } from '../../shared/keys/api-key.ts';
import { subjectOf } from '../database/advisory-locks.ts';
import type { DbOrTransaction, Transaction } from '../database/connect.ts';
import { apiKeys } from '../database/tables/api-keys.ts';

export type Key = typeof apiKeys.$inferSelect;

/** Keys that people manage. */
export interface KeyFilter {
  readonly accountId: number;
  readonly kind: KeyKind;
  /** Only those that this user has created; undefined for all. */
  readonly keysOf?: number | undefined;
}

/** The key's id and the account. */
export interface KeyOwner extends KeyFilter {
  readonly id: number;
}

const isOneOf = ({ accountId, kind, keysOf }: KeyFilter) =>
  and(
    eq(apiKeys.accountId, accountId),
    eq(apiKeys.kind, kind),
    keysOf === undefined ? undefined : eq(apiKeys.createdBy, keysOf),
    isNull(apiKeys.deletedAt),
    isNull(apiKeys.sessionId),
  );

export const isKey = ({ id, ...filter }: KeyOwner) => and(eq(apiKeys.id, id), isOneOf(filter));

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

/** Newest first. */
export function listKeys(db: DbOrTransaction, filter: KeyFilter): Promise<Key[]> {
  return db.select().from(apiKeys).where(isOneOf(filter)).orderBy(desc(apiKeys.id));
}

/** Locks the set of an account's keys until the transaction ends. */
export async function lockKeysOf(transaction: DbOrTransaction, accountId: number): Promise<void> {
  await transaction.execute(sql`SELECT pg_advisory_xact_lock(hashtextextended(${subjectOf('keys', accountId)}, 0))`);
}

export const keyStates = ['active', 'inactive', 'expired', 'project_archived'] as const;
type KeyState = (typeof keyStates)[number];

/** `archived` are the ids of the account's archived projects. */
export function stateOf(
  { active, expiresAt, projectId }: Pick<Key, 'active' | 'expiresAt' | 'projectId'>,
  archived: ReadonlySet<number>,
): KeyState {
  if (expiresAt !== null && expiresAt <= new Date()) return 'expired';
  if (active && projectId !== null && archived.has(projectId)) return 'project_archived';
  return active ? 'active' : 'inactive';
}
