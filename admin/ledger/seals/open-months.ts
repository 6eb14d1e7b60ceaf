/** Where the sealed months end. What is before cannot change without its seal being broken. */
import type { Sql, TransactionSql } from 'postgres';

export interface OpenMonths {
  /** The last sealed month; undefined if none is. */
  readonly sealed: string | undefined;
  /** Request ids from this one on. */
  readonly fromId: string;
  /** Lines from this time on. */
  readonly from: string;
}

const everything: OpenMonths = {
  sealed: undefined,
  fromId: '00000000-0000-0000-0000-000000000000',
  from: '-infinity',
};

export async function readOpenMonths(sql: Sql | TransactionSql): Promise<OpenMonths> {
  const [last] = await sql<{ month: string; until_id: string; end: string }[]>`
    SELECT month::text, until_id, (month + interval '1 month')::date || 'T00:00:00Z' AS end FROM sealed_months
    WHERE finished_at IS NOT NULL ORDER BY month DESC LIMIT 1`;
  return last === undefined ? everything : { sealed: last.month, fromId: last.until_id, from: last.end };
}

/**
 * Nothing is booked any more for request ids before this one; empty if every month is open. Part of a query. A month that version
 * 0.1.0 has archived may not be sealed yet.
 */
export const closedUntil = (sql: Sql | TransactionSql) => sql`coalesce((
  SELECT until_id FROM (
    (SELECT until_id FROM sealed_months ORDER BY month DESC LIMIT 1)
    UNION ALL (SELECT until_id FROM archived_months ORDER BY month DESC LIMIT 1)
  ) AS ends ORDER BY until_id DESC LIMIT 1
)::text, '')`;

/**
 * The lines that no seal covers, as `journal_lines` shows them; to be selected from. Those of archived charges belong to the
 * sealed months of their events.
 */
export function openLines(sql: Sql | TransactionSql, { from, fromId }: OpenMonths) {
  return sql`(
    SELECT journal_id, book, account_id, amount_nano, type, request_id FROM ledger_lines
    WHERE created_at >= ${from}::text::timestamptz
      AND (is_archived_charge AND request_id < ${fromId}::uuid) IS NOT TRUE
    UNION ALL
    SELECT journal_id, book, account_id, amount_nano, type, request_id FROM compact_lines
    WHERE request_id >= ${fromId}::uuid
  )`;
}
