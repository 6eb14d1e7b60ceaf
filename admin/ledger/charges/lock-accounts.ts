/** Locks the accounts that a batch changes, in the order of their ids: all postings do, so that none wait for each other. */
import type { TransactionSql } from 'postgres';
import { arrayLiteral } from '../../database/array-literal.ts';

/** Returns those that exist. */
export async function lockAccounts(
  transaction: TransactionSql,
  accountIds: Iterable<number>,
): Promise<ReadonlySet<number>> {
  const rows = await transaction<{ id: string }[]>`
    SELECT id FROM accounts WHERE id = ANY(${arrayLiteral([...accountIds])}::bigint[]) ORDER BY id FOR NO KEY UPDATE`;
  return new Set(rows.map(({ id }) => Number(id)));
}
