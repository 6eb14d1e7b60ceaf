/** Invariants of the ledger after every run. */
import type { Sql } from 'postgres';

export interface Books {
  readonly spentNano: bigint;
  readonly deadlocks: number;
  readonly violations: readonly string[];
}

export async function readBooks(sql: Sql): Promise<Books> {
  const [sums] = await sql<{ spent: string; charged: string; lines: string; unequal: string; rejects: string }[]>`
    SELECT
      (SELECT sum(spent_nano) FROM accounts) AS spent,
      (SELECT sum(charged_nano) FROM charged_requests) AS charged,
      (SELECT sum(amount_nano) FROM journal_lines) AS lines,
      (SELECT count(*) FROM usage_rejects) AS rejects,
      (SELECT count(*) FROM accounts LEFT JOIN
        (SELECT account_id, sum(amount_nano) AS balance FROM journal_lines GROUP BY account_id) AS booked
        ON booked.account_id = accounts.id
        WHERE balance_nano <> coalesce(balance, 0)) AS unequal`;
  await sql`SELECT pg_stat_force_next_flush()`;
  const [statistics] = await sql<{ deadlocks: string }[]>`
    SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()`;
  if (sums === undefined || statistics === undefined) throw new Error('no books');
  const violations: string[] = [];
  if (sums.charged !== sums.spent) violations.push(`requests were charged ${sums.charged}, accounts ${sums.spent}`);
  if (sums.lines !== '0') violations.push(`all lines sum to ${sums.lines}`);
  if (sums.unequal !== '0') violations.push(`${sums.unequal} balances are not the sum of their lines`);
  if (sums.rejects !== '0') violations.push(`${sums.rejects} events were not booked`);
  return { spentNano: BigInt(sums.spent), deadlocks: Number(statistics.deadlocks), violations };
}
