/**
 * Responds to a repeated request with the first response, and does its work only once (the Idempotency-Key of
 * https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/).
 *
 * The response is stored in the transaction that does the work: a process that dies in between has done nothing, and
 * there is no stale "still running" mark to clean up. An advisory lock, which ends with the transaction, marks a
 * running request.
 */
import { and, eq, gt, sql } from 'drizzle-orm';
import { pepperInUse } from '../../../shared/config/key-peppers.ts';
import { GatewayError } from '../../../shared/errors.ts';
import type { AdminConfig } from '../../config/admin.ts';
import { subjectOf } from '../../database/advisory-locks.ts';
import type { Db, DbOrTransaction, Transaction } from '../../database/connect.ts';
import { idempotentResponses } from '../../database/tables/idempotency.ts';
import { hashBody, hashScope, type IdempotencyScope, openResponse, sealResponse } from './idempotency-seal.ts';

export interface IdempotentRequest extends Omit<IdempotencyScope, 'key'> {
  /** From `readIdempotencyKey`. Without one, the work is done for every request. */
  readonly key: string | undefined;
  /** Parsed JSON. */
  readonly body: unknown;
}

interface StatusAndBody<Body> {
  readonly status: number;
  readonly body: Body;
}

const storedFor = sql`interval '24 hours'`;

/**
 * `work` must stay within the transaction: an error rolls it back, is not stored, and may be retried with the same
 * key. Work that follows the commit belongs after this call, and must be repeatable.
 *
 * Throws GatewayError `idempotency_in_progress` and `idempotency_key_reused`, and the errors of `work`.
 */
export function withIdempotency<Body extends object>(
  { db, config }: { db: Db; config: Pick<AdminConfig, 'keyPeppers'> },
  { key, body, ...place }: IdempotentRequest,
  work: (transaction: Transaction) => Promise<StatusAndBody<Body>>,
): Promise<StatusAndBody<Body>> {
  return db.transaction(async (transaction) => {
    if (key === undefined) return work(transaction);
    const scope = { ...place, key };
    // A response that was sealed before KEY_PEPPER was replaced is found too.
    const { keyPeppers } = config;
    const seals = keyPeppers.map((pepper) => ({ pepper, keyHash: hashScope(pepper, scope) }));
    await lockOut(
      transaction,
      seals.map(({ keyHash }) => keyHash),
    );
    for (const { pepper, keyHash } of seals) {
      const stored = await findStored(transaction, keyHash);
      if (stored === undefined) continue;
      if (stored.bodyHash !== hashBody(pepper, scope, body)) throw keyReused();
      // What was sealed here was a response of this work.
      return { status: stored.status, body: JSON.parse(openResponse(pepper, scope, stored.response)) as Body };
    }
    const response = await work(transaction);
    const pepper = pepperInUse({ keyPeppers });
    const [keyHash, bodyHash] = [hashScope(pepper, scope), hashBody(pepper, scope, body)];
    const sealed = sealResponse(pepper, scope, JSON.stringify(response.body));
    const row = { bodyHash, status: response.status, response: sealed, expiresAt: sql`now() + ${storedFor}` };
    await transaction
      .insert(idempotentResponses)
      .values({ keyHash, ...row })
      // An expired one that was not removed yet.
      .onConflictDoUpdate({ target: idempotentResponses.keyHash, set: row });
    return response;
  });
}

/** Held until the transaction ends, and seen by every replica; in an order that does not depend on which is in use. */
async function lockOut(transaction: DbOrTransaction, keyHashes: readonly string[]): Promise<void> {
  for (const keyHash of keyHashes.toSorted()) {
    const [lock] = await transaction.execute<{ free: boolean }>(
      sql`SELECT pg_try_advisory_xact_lock(hashtextextended(${subjectOf('idempotency', keyHash)}, 0)) AS free`,
    );
    if (lock?.free !== true) throw stillRunning();
  }
}

async function findStored(transaction: DbOrTransaction, keyHash: string) {
  const [stored] = await transaction
    .select()
    .from(idempotentResponses)
    .where(and(eq(idempotentResponses.keyHash, keyHash), gt(idempotentResponses.expiresAt, sql`now()`)));
  return stored;
}

export function stillRunning(): GatewayError {
  return new GatewayError('idempotency_in_progress', 'A request with this Idempotency-Key is still in progress.', {
    param: 'Idempotency-Key',
    retryAfterSeconds: 1,
  });
}

export function keyReused(): GatewayError {
  return new GatewayError('idempotency_key_reused', 'This Idempotency-Key was used with a different body.', {
    param: 'Idempotency-Key',
  });
}
