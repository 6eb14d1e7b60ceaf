/** Keeps the gateway from being left without an operator. */
import { and, count, eq, isNull, type SQL, sql } from 'drizzle-orm';
import { GatewayError } from '../../shared/errors.ts';
import { numberedLocks } from '../database/advisory-locks.ts';
import type { Transaction } from '../database/connect.ts';
import { users } from '../database/tables/accounts.ts';

/**
 * `others` says which users stay. One at a time, so that the last two operators cannot both be the last but one. Throws
 * GatewayError `last_operator`.
 */
export async function refuseLastOperator(transaction: Transaction, others: SQL): Promise<void> {
  await transaction.execute(sql`SELECT pg_advisory_xact_lock(${numberedLocks.operators.number})`);
  const [left] = await transaction
    .select({ operators: count() })
    .from(users)
    .where(and(eq(users.role, 'operator'), isNull(users.deletedAt), others));
  if (left?.operators === 0) throw lastOperator();
}

export const lastOperator = () =>
  new GatewayError('last_operator', 'This is the last operator. Make another user an operator first.');
