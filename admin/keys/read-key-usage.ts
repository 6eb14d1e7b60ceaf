/** Recent spending of keys and the time of their last charge, from the totals that are kept as charges are booked. */
import { sql } from 'drizzle-orm';
import { type NanoUsd, nanoUsd } from '../../shared/money.ts';
import type { DbOrTransaction } from '../database/connect.ts';

export interface KeyUsage {
  readonly spent30dNano: NanoUsd;
  readonly lastUsedAt: Date;
}

interface UsageRow extends Record<string, unknown> {
  readonly key_id: string;
  readonly spent: string;
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
    SELECT key.id AS key_id, recent.spent, latest.last_charged_at
    FROM unnest(${ids}::bigint[]) AS key (id)
    CROSS JOIN LATERAL (
      SELECT coalesce(sum(cost_nano), 0) AS spent FROM usage_totals
      WHERE key_id = key.id AND bucket_15m >= (date_trunc('day', now(), 'UTC') - interval '29 days')
    ) AS recent
    CROSS JOIN LATERAL (
      SELECT last_charged_at FROM usage_totals WHERE key_id = key.id ORDER BY bucket_15m DESC, last_charged_at DESC LIMIT 1
    ) AS latest`);
  return new Map(
    rows.map((row) => [
      Number(row.key_id),
      { spent30dNano: nanoUsd(BigInt(row.spent)), lastUsedAt: new Date(row.last_charged_at) },
    ]),
  );
}
