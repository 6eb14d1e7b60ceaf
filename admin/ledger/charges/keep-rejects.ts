/** Keeps stream entries that could not be booked, so that nothing is lost and an operator can look at them. */
import type { Sql } from 'postgres';
import type { Shard } from '../../../shared/shard.ts';
import type { UsageEntry } from '../../../shared/wallet/usage-entry.ts';

export interface Reject {
  readonly entry: UsageEntry;
  readonly problem: string;
}

export async function keepRejects(sql: Sql, shard: Shard, rejects: readonly Reject[]): Promise<void> {
  if (rejects.length === 0) return;
  const rows = rejects.map(({ entry, problem }) => ({
    shard,
    stream_id: entry.id,
    entry: JSON.stringify(entry.fields),
    problem,
  }));
  await sql`INSERT INTO usage_rejects ${sql(rows)}`;
}
