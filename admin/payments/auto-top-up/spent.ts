/** What automatic top-ups of an account have charged, for the limits that its customer chose. */
import { sql } from 'drizzle-orm';
import type { Transaction } from '../../database/connect.ts';
import type { AutoTopUp } from './saved-card.ts';

export interface Spent {
  readonly dayMinor: bigint;
  readonly monthMinor: bigint;
  readonly nextDay: Date;
  readonly nextMonth: Date;
}

/** Days and months are those of the zone. What failed does not count; what is not known yet does. */
export async function readSpent(
  transaction: Transaction,
  { accountId, currency }: AutoTopUp,
  { at, zone }: { at: Date; zone: string },
): Promise<Spent> {
  const local = sql`(${at.toISOString()}::timestamptz AT TIME ZONE ${zone})`;
  const startOf = (unit: 'day' | 'month', later: number) =>
    sql`((date_trunc(${unit}, ${local}) + make_interval(${sql.raw(`${unit}s`)} => ${later}::int)) AT TIME ZONE ${zone})`;
  const rows = await transaction.execute<{ day: string; month: string; next_day: string; next_month: string }>(sql`
    SELECT coalesce(sum(amount_minor) FILTER (WHERE created_at >= ${startOf('day', 0)}), 0) AS day,
      coalesce(sum(amount_minor), 0) AS month,
      to_json(${startOf('day', 1)}) #>> '{}' AS next_day, to_json(${startOf('month', 1)}) #>> '{}' AS next_month
    FROM payments
    WHERE account_id = ${accountId} AND card_id IS NOT NULL AND currency = ${currency}
      AND status NOT IN ('canceled', 'expired') AND created_at >= ${startOf('month', 0)}`);
  const [row] = rows;
  if (row === undefined) throw new Error('a sum returned no row');
  return {
    dayMinor: BigInt(row.day),
    monthMinor: BigInt(row.month),
    nextDay: new Date(row.next_day),
    nextMonth: new Date(row.next_month),
  };
}

/** Whether an attempt is under way, or its outcome is not counted yet. */
export async function hasOpenAttempt(transaction: Transaction, accountId: number): Promise<boolean> {
  const rows = await transaction.execute(
    sql`SELECT FROM payments WHERE account_id = ${accountId} AND NOT outcome_counted`,
  );
  return rows.length > 0;
}
