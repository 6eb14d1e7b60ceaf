/**
 * Charges that a wallet has made and the ledger never saw: wallets number their charges, and the numbers of one epoch
 * have no holes. A wallet that outlives an epoch goes on counting, after a failover perhaps from some numbers earlier; what
 * lies before a repair is explained by it.
 *
 * Events of an account are committed in their order, so a hole in one snapshot cannot be one that is still to be
 * filled: what waits in the stream is behind everything that is booked.
 */
import type { TransactionSql } from 'postgres';
import { missingCharge } from './compare-readings.ts';
import { type Scope, type Violation, violationsMax } from './reconciliation.ts';

/** Counting finds the few accounts worth sorting: n numbers from the first to the last, with the right sum. */
export async function findGaps(sql: TransactionSql, { accountId }: Scope): Promise<Violation[]> {
  const only = accountId === undefined ? sql`` : sql`AND account_id = ${accountId}`;
  const rows = await sql<{ account_id: string; epoch: string; after: string; before: string }[]>`
    WITH counted AS (
      SELECT account_id, epoch, min(wallet_seq) AS first, max(wallet_seq) AS last, count(*) AS count,
        sum(wallet_seq) AS sum
      FROM usage_events WHERE wallet_seq IS NOT NULL ${only} GROUP BY account_id, epoch
    ), suspicious AS (
      SELECT account_id, epoch FROM counted
      WHERE first <> 1 OR count <> last - first + 1 OR sum * 2 <> (first + last) * count
    ), numbers AS (
      SELECT DISTINCT account_id, epoch, wallet_seq
      FROM usage_events JOIN suspicious USING (account_id, epoch) WHERE wallet_seq IS NOT NULL
    ), steps AS (
      SELECT account_id, epoch, wallet_seq AS before,
        lag(wallet_seq) OVER (PARTITION BY account_id, epoch ORDER BY wallet_seq) AS previous
      FROM numbers
    ), gaps AS (
      SELECT account_id, epoch, before, coalesce(previous, (
        SELECT max(least(earlier.last, before - 1)) FROM counted AS earlier
        WHERE earlier.account_id = steps.account_id AND earlier.epoch < steps.epoch AND earlier.first < before
      ), 0) AS after
      FROM steps
    )
    SELECT account_id, epoch, after, before FROM gaps
    WHERE before > after + 1 AND NOT EXISTS (
      SELECT FROM repairs WHERE repairs.account_id = gaps.account_id
        AND (repairs.epoch, repairs.wallet_seq) >= (gaps.epoch, gaps.before - 1)
    )
    ORDER BY account_id, epoch, before LIMIT ${violationsMax}`;
  return rows.map((row) =>
    missingCharge({
      accountId: Number(row.account_id),
      after: Number(row.after),
      last: Number(row.before) - 1,
      at: { epoch: Number(row.epoch) },
    }),
  );
}
