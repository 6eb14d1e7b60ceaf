/**
 * The balance of an account after some of its lines: the balance at the end of their month, if that is sealed, or else the
 * present one, less what was booked in between. Later quarters of an hour come from the totals, so a balance of long ago costs
 * as much as one of this month.
 */
import { sql } from 'drizzle-orm';
import { type NanoUsd, nanoUsd } from '../../../shared/money.ts';
import type { DbOrTransaction } from '../../database/connect.ts';
import type { LinePosition } from '../../http/request/page-cursor.ts';

/** In the order of the positions. Call it in the snapshot in which the lines were read. */
export async function readBalancesAfter(
  transaction: DbOrTransaction,
  accountId: number,
  positions: readonly LinePosition[],
): Promise<NanoUsd[]> {
  if (positions.length === 0) return [];
  const values = positions.map(
    ({ exactTime, id }, index) => sql`(${index}::int, ${exactTime}::timestamptz, ${id}::bigint)`,
  );
  const rows = await transaction.execute<{ balance: string }>(sql`
    SELECT coalesce(seal.end_balance_nano, accounts.balance_nano) - later.credits - later.usage + later.totals AS balance
    FROM accounts
    CROSS JOIN (VALUES ${sql.join(values, sql`, `)}) AS position (n, at, id)
    CROSS JOIN LATERAL (SELECT date_bin('15 minutes', position.at, 'epoch') + interval '15 minutes' AS ends) AS bucket
    CROSS JOIN LATERAL (SELECT date_trunc('month', position.at AT TIME ZONE 'UTC') AS starts) AS month
    LEFT JOIN sealed_accounts AS seal ON seal.month = month.starts::date AND seal.account_id = accounts.id
    CROSS JOIN LATERAL (
      SELECT CASE WHEN seal.month IS NULL THEN 'infinity'
        ELSE (month.starts + interval '1 month') AT TIME ZONE 'UTC' END AS at
    ) AS known
    CROSS JOIN LATERAL (
      SELECT coalesce((
          SELECT sum(amount_nano) FROM journal_lines
          WHERE account_id = accounts.id AND type <> 'usage' AND (created_at, id) > (position.at, position.id)
            AND created_at < known.at
        ), 0) AS credits,
        coalesce((
          SELECT sum(amount_nano) FROM journal_lines
          WHERE account_id = accounts.id AND type = 'usage' AND (created_at, id) > (position.at, position.id)
            AND created_at < bucket.ends
        ), 0) AS usage,
        coalesce((
          SELECT sum(cost_nano) FROM usage_totals
          WHERE account_id = accounts.id AND bucket_15m >= bucket.ends AND bucket_15m < known.at
        ), 0) AS totals
    ) AS later
    WHERE accounts.id = ${accountId}
    ORDER BY position.n`);
  return rows.map(({ balance }) => nanoUsd(BigInt(balance)));
}
