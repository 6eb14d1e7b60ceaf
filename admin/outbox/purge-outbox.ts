/** Forgets what Redis has heard of long ago. The row of a credit is only an order; the credit itself is in the ledger. */
import type { Sql } from 'postgres';

/** Returns how many rows are gone. */
export async function purgeOutbox(sql: Sql, now: Date): Promise<number> {
  const result = await sql`DELETE FROM outbox WHERE delivered_at < ${now}::timestamptz - interval '30 days'`;
  return result.count;
}
