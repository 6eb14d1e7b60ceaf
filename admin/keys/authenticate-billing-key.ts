/** Finds the account behind a billing key. Billing keys are used rarely, so Postgres is queried each time. */
import { inArray } from 'drizzle-orm';
import { GatewayError } from '../../shared/errors.ts';
import { bearerToken } from '../../shared/http/request-headers.ts';
import { hashKey, parseKey, pepperMark } from '../../shared/keys/api-key.ts';
import type { Db, Transaction } from '../database/connect.ts';
import { refuseBlocked } from '../database/rows/account-state.ts';
import { apiKeys } from '../database/tables/api-keys.ts';
import type { Key } from './find-key.ts';
import { rehashKey } from './rehash-key.ts';

/**
 * Throws GatewayError `missing_api_key`, `invalid_api_key`, `wrong_key_type`,
 * `key_expired`, `key_deactivated` or `account_blocked`.
 */
export async function authenticateBillingKey(
  db: Db | Transaction,
  peppers: readonly string[],
  authorization: string | undefined,
): Promise<Key> {
  const token = bearerToken(authorization);
  if (token === undefined) throw billingKeyErrors.missing();
  if (parseKey(token) === undefined) throw billingKeyErrors.invalid();
  const hashes = peppers.map((pepper) => hashKey(token, pepper));
  const [key] = await db.select().from(apiKeys).where(inArray(apiKeys.hash, hashes));
  if (key === undefined || key.deletedAt !== null) throw billingKeyErrors.invalid();
  if (key.kind !== 'billing') throw billingKeyErrors.otherKind();
  if (!key.active) throw billingKeyErrors.deactivated();
  if (key.expiresAt !== null && key.expiresAt <= new Date()) throw billingKeyErrors.expired(key.expiresAt);
  await refuseBlocked(db, key.accountId);
  const [[hash = ''], [pepper = '']] = [hashes, peppers];
  if (key.hash !== hash) {
    const { id: keyId, accountId, hash: formerHash } = key;
    await rehashKey(db, { keyId, accountId, formerHash, hash, pepperMark: pepperMark(pepper) });
  }
  return key;
}

export const billingKeyErrors = {
  missing: () => new GatewayError('missing_api_key', 'Send a billing key as `Authorization: Bearer mk-…`.'),
  invalid: () => new GatewayError('invalid_api_key', 'The API key is not valid. It may be mistyped or deleted.'),
  otherKind: () =>
    new GatewayError('wrong_key_type', 'This is a proxy key. Keys are managed with a billing key, `mk-…`.'),
  deactivated: () => new GatewayError('key_deactivated', 'This billing key is deactivated.'),
  expired: (at: Date) => new GatewayError('key_expired', `This billing key expired at ${at.toISOString()}.`),
};
