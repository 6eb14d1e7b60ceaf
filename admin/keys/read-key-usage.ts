/** Recent spending of keys and the time of their last charge, from the totals that are kept as charges are booked. */
import { sql } from 'drizzle-orm';
import { type NanoUsd, nanoUsd } from '../../shared/money.ts';
import type { DbOrTransaction } from '../database/connect.ts';

export interface KeyUsage {
  readonly spent30dNano: NanoUsd;
  /** Since midnight, and since the first of the month, in UTC: what spending limits compare. */
  readonly spentTodayNano: NanoUsd;
  readonly spentMonthNano: NanoUsd;
  readonly lastUsedAt: Date;
}

interface UsageRow extends Record<string, unknown> {
  readonly key_id: string;
  readonly spent: string;
  readonly spent_today: string;
  readonly spent_month: string;
  readonly last_charged_at: string;
}

/** By key id, without keys that were never charged. 30 days are today, in UTC, and the 29 days before. */
export async function readKeyUsage(
  db: DbOrTransaction,
  keyIds: readonly number[],
): Promise<ReadonlyMap<number, KeyUsage>> {
  if (keyIds.length === 0) return new Map();
  const ids = sql.param(`{${keyIds.join(',')}}`);
  const rows = await db.execute<UsageRow>(sql`
    SELECT key.id AS key_id, recent.spent, recent.spent_today, recent.spent_month, latest.last_charged_at
    FROM unnest(${ids}::bigint[]) AS key (id)
    CROSS JOIN LATERAL (
      SELECT coalesce(sum(cost_nano) FILTER (WHERE bucket_15m >= date_trunc('day', now(), 'UTC') - interval '29 days'), 0)
          AS spent,
        coalesce(sum(cost_nano) FILTER (WHERE bucket_15m >= date_trunc('day', now(), 'UTC')), 0) AS spent_today,
        coalesce(sum(cost_nano) FILTER (WHERE bucket_15m >= date_trunc('month', now(), 'UTC')), 0) AS spent_month
      FROM usage_totals
      -- A month has at most 31 days.
      WHERE key_id = key.id AND bucket_15m >= (date_trunc('day', now(), 'UTC') - interval '30 days')
    ) AS recent
    CROSS JOIN LATERAL (
      SELECT last_charged_at FROM usage_totals WHERE key_id = key.id ORDER BY bucket_15m DESC, last_charged_at DESC LIMIT 1
    ) AS latest`);
  return new Map(
    rows.map((row) => [
      Number(row.key_id),
      {
        spent30dNano: nanoUsd(BigInt(row.spent)),
        spentTodayNano: nanoUsd(BigInt(row.spent_today)),
        spentMonthNano: nanoUsd(BigInt(row.spent_month)),
        lastUsedAt: new Date(row.last_charged_at),
      },
    ]),
  );
}
