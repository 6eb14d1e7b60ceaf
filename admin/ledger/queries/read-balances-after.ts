/**
 * The balance of an account after some of its lines: the balance at the end of their month, if that is sealed, or else the
 * present one, less what was booked in between. Later quarters of an hour come from the totals, so a balance of long ago costs
 * as much as one of this month.
 */
import { sql } from 'drizzle-orm';
import { type NanoUsd, nanoUsd } from '../../../shared/money.ts';
import type { LinePosition } from '../../http/request/page-cursor.ts';
import { canBeArchived } from '../archive/usage-archive.ts';
import type { LedgerRead } from '../ledger.ts';
import { quarterMs } from '../times.ts';

/** In the order of the positions. Call it in the snapshot in which the lines were read. */
export async function readBalancesAfter(
  ledger: LedgerRead,
  { accountId, positions }: { readonly accountId: number; readonly positions: readonly LinePosition[] },
): Promise<NanoUsd[]> {
  if (positions.length === 0) return [];
  const archived = await sumArchived(ledger, accountId, positions);
  const values = positions.map(
    ({ exactTime, id }, index) => sql`(${index}::int, ${exactTime}::timestamptz, ${id}::bigint)`,
  );
  const rows = await ledger.db.execute<{ balance: string }>(sql`
    SELECT coalesce(seal.end_balance_nano, accounts.balance_nano) - later.credits - later.usage + later.totals AS balance
    FROM accounts
    CROSS JOIN (VALUES ${sql.join(values, sql`, `)}) AS position (n, at, id)
    CROSS JOIN LATERAL (SELECT date_trunc('month', position.at AT TIME ZONE 'UTC') AS starts) AS month
    CROSS JOIN LATERAL (SELECT date_bin('15 minutes', position.at, 'epoch') + interval '15 minutes' AS ends) AS bucket
    LEFT JOIN sealed_accounts AS seal ON seal.month = month.starts::date AND seal.account_id = accounts.id
    CROSS JOIN LATERAL (
      SELECT CASE WHEN seal.month IS NULL THEN 'infinity'
        ELSE (month.starts + interval '1 month') AT TIME ZONE 'UTC' END AS at
    ) AS known
    CROSS JOIN LATERAL (
      SELECT coalesce((
          SELECT sum(amount_nano) FROM ledger_lines
          WHERE account_id = accounts.id AND type <> 'usage' AND (created_at, id) > (position.at, position.id)
            AND created_at < known.at
        ), 0) AS credits,
        coalesce((
          SELECT sum(amount_nano) FROM journal_lines
          WHERE account_id = accounts.id AND type = 'usage' AND (created_at, id) > (position.at, position.id)
            AND created_at < bucket.ends
        ), 0) AS usage,
        coalesce((SELECT sum(cost_nano) FROM key_costs_between(accounts.id, bucket.ends, known.at)), 0) AS totals
    ) AS later
    WHERE accounts.id = ${accountId}
    ORDER BY position.n`);
  return rows.map(({ balance }, index) => nanoUsd(BigInt(balance) + (archived[index] ?? 0n)));
}

/** Of each position: what archived charges after it took, within its quarter of an hour. Later ones are in the totals. */
async function sumArchived(
  { db, archive }: LedgerRead,
  accountId: number,
  positions: readonly LinePosition[],
): Promise<bigint[]> {
  const quarters = new Map<number, Promise<ArchivedLine[]>>();
  const sums: bigint[] = [];
  for (const position of positions) {
    const quarter = Math.floor(Date.parse(position.exactTime) / quarterMs) * quarterMs;
    const lines = quarters.get(quarter) ?? readQuarter({ db, archive }, accountId, new Date(quarter));
    quarters.set(quarter, lines);
    sums.push((await lines).reduce((sum, line) => sum + (isAfter(line, position) ? line.bookedNano : 0n), 0n));
  }
  return sums;
}

interface ArchivedLine extends LinePosition {
  readonly bookedNano: bigint;
}

async function readQuarter({ db, archive }: LedgerRead, accountId: number, from: Date): Promise<ArchivedLine[]> {
  if (!canBeArchived(from)) return [];
  const lines: ArchivedLine[] = [];
  const to = new Date(from.getTime() + quarterMs);
  for await (const { rows } of archive.charges(db, { accountId, from, to })) {
    for (const { line_id: id, charged_at: exactTime, booked_nano: booked } of rows) {
      if (id === null) continue;
      lines.push({ id: Number(id), exactTime: String(exactTime), bookedNano: BigInt(String(booked)) });
    }
  }
  return lines;
}

/** Both times have microseconds. */
function isAfter(line: LinePosition, { id, exactTime }: LinePosition): boolean {
  return line.exactTime === exactTime ? line.id > id : line.exactTime > exactTime;
}
