/** Recent spending of keys and the time of their last charge, from the totals that are kept as charges are booked. */
import { type SQL, sql } from 'drizzle-orm';
import { zoneOffsets } from '../../shared/days-of-zone.ts';
import { type SpentName, windowedLimits, windowStart } from '../../shared/limits/spend-limits.ts';
import { recordOf } from '../../shared/members.ts';
import { type NanoUsd, nanoUsd } from '../../shared/money.ts';
import { arrayLiteral } from '../database/array-literal.ts';
import type { DbOrTransaction } from '../database/connect.ts';
import { totalsAsRowsDays } from '../database/tables/usage-totals.ts';

export interface KeyUsage {
  readonly spent30dNano: NanoUsd;
  /** In the current window of each spending limit. */
  readonly spentNano: Readonly<Record<SpentName, NanoUsd>>;
  readonly lastUsedAt: Date;
}

const recentlyName = 'spent30d';

interface SpentRow extends Record<string, unknown> {
  readonly key_id: string;
  /** Of a spending limit, or `recentlyName`. */
  readonly window: string;
  readonly nano: string;
}

/** By key id, without keys that were never charged. 30 days are today, in UTC, and the 29 days before. */
export async function readKeyUsage(
  db: DbOrTransaction,
  keyIds: readonly number[],
  timeZone: string,
): Promise<ReadonlyMap<number, KeyUsage>> {
  if (keyIds.length === 0) return new Map();
  const spent = await readSpent(db, keyIds, timeZone);
  const spentOf = (id: number, window: string) => nanoUsd(spent.get(`${id} ${window}`) ?? 0n);
  return new Map(
    Array.from(await readLastUsed(db, keyIds), ([id, lastUsedAt]) => [
      id,
      {
        spent30dNano: spentOf(id, recentlyName),
        spentNano: recordOf(windowedLimits, ({ spent: { name } }) => [name, spentOf(id, name)]),
        lastUsedAt,
      },
    ]),
  );
}

/** A key has a number for each place that it was in, and its own id for the first. */
function placesOf(keyIds: readonly number[]): SQL {
  return sql`(
    SELECT DISTINCT id, account_id, number FROM api_keys
    CROSS JOIN LATERAL unnest(id || ARRAY(SELECT id FROM key_assignments WHERE key_id = api_keys.id)) AS number
    WHERE id = ANY(${arrayLiteral(keyIds)}::bigint[])
  )`;
}

/** By key and window. */
async function readSpent(
  db: DbOrTransaction,
  keyIds: readonly number[],
  timeZone: string,
): Promise<ReadonlyMap<string, bigint>> {
  const now = new Date();
  const zone = zoneOffsets(timeZone, now);
  const windows = windowedLimits.map(
    (limit) => sql`, (${limit.spent.name}, ${windowStart(limit, now, zone).toISOString()}::timestamptz)`,
  );
  const rows = await db.execute<SpentRow>(sql`
    WITH place AS MATERIALIZED ${placesOf(keyIds)}
    SELECT place.id AS key_id, "window", sum(total.cost_nano) AS nano
    FROM (SELECT DISTINCT account_id FROM place) AS account
    CROSS JOIN (
      VALUES (${recentlyName}, date_trunc('day', now(), 'UTC') - interval '29 days') ${sql.join(windows)}
    ) AS windows ("window", since)
    CROSS JOIN LATERAL key_costs_between(account.account_id, since, 'infinity') AS total
    JOIN place ON place.number = total.key_id AND place.account_id = account.account_id
    GROUP BY place.id, "window"`);
  return new Map(rows.map(({ key_id, window, nano }) => [`${key_id} ${window}`, BigInt(nano)]));
}

async function readLastUsed(db: DbOrTransaction, keyIds: readonly number[]): Promise<Map<number, Date>> {
  const rows = await db.execute<{ key_id: string; at: Date }>(sql`
    WITH place AS MATERIALIZED (
      SELECT *, (
        SELECT last_charged_at FROM usage_totals
        WHERE key_id = number AND account_id = place.account_id ORDER BY bucket_15m DESC, last_charged_at DESC LIMIT 1
      ) AS at FROM ${placesOf(keyIds)} AS place
    ), unknown AS MATERIALIZED (
      -- Lists have nothing of the last day.
      SELECT id, account_id, number FROM place WHERE at IS NULL OR at < now() - ${totalsAsRowsDays}::int * interval '1 day'
    )
    SELECT id AS key_id, max(at) AS at FROM (
      SELECT id, at FROM place
      UNION ALL
      SELECT unknown.id, listed.at FROM archived_totals AS archived
      CROSS JOIN LATERAL unnest(key_ids, keys_last_charged_at) AS listed (number, at)
      JOIN unknown ON unknown.number = listed.number AND unknown.account_id = archived.account_id
      WHERE archived.account_id IN (SELECT account_id FROM unknown)
    ) AS used
    GROUP BY id HAVING max(at) IS NOT NULL`);
  return new Map(rows.map(({ key_id, at }) => [Number(key_id), at]));
}
