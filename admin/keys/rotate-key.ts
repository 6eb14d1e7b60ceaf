/** Creates a key that replaces an old one, which keeps working for a while so that no client is cut off. */
import { GatewayError } from '../../shared/errors.ts';
import type { Transaction } from '../database/connect.ts';
import { changeKey } from './change-key.ts';
import { type CreatedKey, createKey } from './create-key.ts';
import { type Key, type KeyOwner, lockKey, lockKeysOf } from './find-key.ts';
import { limitsOf } from './key-limits.ts';

const hourMs = 3_600_000;

export interface Rotation {
  /** From now until the old key expires; 0 expires it immediately. Never extends its life. */
  readonly graceHours: number;
  /** The new key's expiry; undefined for the old one's. */
  readonly expiresAt: Date | null | undefined;
}

export interface RotatedKey {
  readonly created: CreatedKey;
  /** The replaced key as it was, and as it is. */
  readonly before: Key;
  readonly old: Key;
}

/**
 * The new key has the old one's owner, project, name and limits, and no spending. Undefined if the account has no such key.
 * Throws GatewayError `invalid_parameter` if the new key would have expired already, and `too_many_keys`.
 */
export async function rotateKey(
  transaction: Transaction,
  { pepper, owner }: { pepper: string; owner: KeyOwner },
  { graceHours, expiresAt }: Rotation,
): Promise<RotatedKey | undefined> {
  // Before the key itself, as everything that changes all keys of an account has it.
  await lockKeysOf(transaction, owner.accountId);
  const key = await lockKey(transaction, owner);
  if (key === undefined) return undefined;
  const now = new Date();
  const ends = expiresAt === undefined ? key.expiresAt : expiresAt;
  if (ends !== null && ends <= now) {
    throw new GatewayError('invalid_parameter', 'This key has expired. Set `expires_at` for the new one, or null.', {
      param: 'expires_at',
    });
  }
  const { accountId, kind, name, createdBy, projectId } = key;
  const created = await createKey(transaction, pepper, {
    ...{ accountId, kind, name, createdBy, projectId, expiresAt: ends },
    ...limitsOf(key),
  });
  const grace = new Date(now.getTime() + graceHours * hourMs);
  const old = await changeKey(transaction, owner, { expiresAt: endOf(key, grace) });
  if (old === undefined) throw new Error(`key ${owner.id} disappeared although its row is locked`);
  return { created, before: key, old };
}

const endOf = ({ expiresAt }: Key, grace: Date) => (expiresAt !== null && expiresAt < grace ? expiresAt : grace);
