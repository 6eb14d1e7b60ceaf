/** Recent spending of keys and the time of their last charge, from the totals that are kept as charges are booked. */
import { sql } from 'drizzle-orm';
import { zoneOffsets } from '../../shared/days-of-zone.ts';
import { type SpentName, windowedLimits, windowStart } from '../../shared/limits/spend-limits.ts';
import { recordOf } from '../../shared/members.ts';
import { type NanoUsd, nanoUsd } from '../../shared/money.ts';
import type { DbOrTransaction } from '../database/connect.ts';
import { youngestArchivedDays } from '../database/tables/usage-totals.ts';

export interface KeyUsage {
  readonly spent30dNano: NanoUsd;
  /** In the current window of each spending limit. */
  readonly spentNano: Readonly<Record<SpentName, NanoUsd>>;
  readonly lastUsedAt: Date;
}

interface UsageRow extends Record<string, unknown>, Readonly<Record<SpentName, string>> {
  readonly key_id: string;
  readonly spent: string;
  readonly last_charged_at: Date;
}

/** By key id, without keys that were never charged. 30 days are today, in UTC, and the 29 days before. */
export async function readKeyUsage(
  db: DbOrTransaction,
  keyIds: readonly number[],
  timeZone: string,
): Promise<ReadonlyMap<number, KeyUsage>> {
  if (keyIds.length === 0) return new Map();
  const ids = sql.param(`{${keyIds.join(',')}}`);
  const now = new Date();
  const zone = zoneOffsets(timeZone, now);
  const inWindows = windowedLimits.map((limit) => {
    const start = windowStart(limit, now, zone).toISOString();
    return sql`, coalesce(sum(cost_nano) FILTER (WHERE bucket_15m >= ${start}), 0) AS ${sql.identifier(limit.spent.name)}`;
  });
  const rows = await db.execute<UsageRow>(sql`
    SELECT key.id AS key_id, recent.*, latest.last_charged_at
    FROM (
      SELECT id, account_id, id || ARRAY(SELECT id FROM key_assignments WHERE key_id = api_keys.id) AS numbers
      FROM api_keys WHERE id = ANY(${ids}::bigint[])
    ) AS key
    CROSS JOIN LATERAL (
      SELECT coalesce(sum(cost_nano) FILTER (WHERE bucket_15m >= date_trunc('day', now(), 'UTC') - interval '29 days'), 0)
          AS spent
        ${sql.join(inWindows)}
      FROM usage_totals
      -- No window is longer than a month, which has at most 31 days, in whichever zone.
      WHERE key_id = ANY(key.numbers) AND bucket_15m >= (date_trunc('day', now(), 'UTC') - interval '32 days')
    ) AS recent
    CROSS JOIN LATERAL (
      (
        SELECT last_charged_at FROM usage_totals WHERE key_id = ANY(key.numbers)
        ORDER BY bucket_15m DESC, last_charged_at DESC LIMIT 1
      )
      UNION ALL (
        SELECT archived.last_charged_at FROM archived_totals
        CROSS JOIN LATERAL unnest(key_ids, keys_last_charged_at) AS archived (key_id, last_charged_at)
        WHERE account_id = key.account_id AND archived.key_id = ANY(key.numbers) AND NOT EXISTS (
          -- Newer than whatever is archived.
          SELECT FROM usage_totals WHERE key_id = ANY(key.numbers) AND bucket_15m > now() - ${youngestArchivedDays}::int * interval '1 day'
        )
        ORDER BY archived_totals.month DESC, archived.last_charged_at DESC LIMIT 1
      )
      ORDER BY last_charged_at DESC LIMIT 1
    ) AS latest`);
  return new Map(
    rows.map((row) => [
      Number(row.key_id),
      {
        spent30dNano: nanoUsd(BigInt(row.spent)),
        spentNano: recordOf(windowedLimits, ({ spent }) => [spent.name, nanoUsd(BigInt(row[spent.name]))]),
        lastUsedAt: row.last_charged_at,
      },
    ]),
  );
}
