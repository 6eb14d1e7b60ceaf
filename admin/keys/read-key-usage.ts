/** What keys have spent lately, and when they were last charged. */
import { inArray, sql } from 'drizzle-orm';
import { type NanoUsd, nanoUsd } from '../../shared/money.ts';
import { keyUsageDays } from '../../shared/tables/key-usage.ts';
import type { DbOrTransaction } from '../database/connect.ts';

export interface KeyUsage {
  readonly spent30dNano: NanoUsd;
  readonly lastUsedAt: Date;
}

/** By the key's id. Keys that were never charged are not in it. 30 days are today, by UTC, and the 29 before. */
export async function readKeyUsage(
  db: DbOrTransaction,
  keyIds: readonly number[],
): Promise<ReadonlyMap<number, KeyUsage>> {
  if (keyIds.length === 0) return new Map();
  const { keyId, day, spentNano, lastChargedAt } = keyUsageDays;
  const rows = await db
    .select({
      keyId,
      spent: sql<string>`coalesce(sum(${spentNano}) FILTER (WHERE ${day} > (now() AT TIME ZONE 'UTC')::date - 30), 0)`,
      lastUsedAt: sql`max(${lastChargedAt})`.mapWith(lastChargedAt),
    })
    .from(keyUsageDays)
    .where(inArray(keyId, [...keyIds]))
    .groupBy(keyId);
  return new Map(
    rows.map((row) => [row.keyId, { spent30dNano: nanoUsd(BigInt(row.spent)), lastUsedAt: row.lastUsedAt as Date }]),
  );
}
