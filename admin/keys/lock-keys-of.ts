/** Locks the set of an account's keys until the transaction ends. */

import { sql } from 'drizzle-orm';
import { subjectOf } from '../database/advisory-locks.ts';
import type { DbOrTransaction } from '../database/connect.ts';

export async function lockKeysOf(transaction: DbOrTransaction, accountId: number): Promise<void> {
  await transaction.execute(sql`SELECT pg_advisory_xact_lock(hashtextextended(${subjectOf('keys', accountId)}, 0))`);
}
