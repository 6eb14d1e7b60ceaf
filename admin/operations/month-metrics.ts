/** Whether the partitions of the coming months are there, and whether past months are sealed, as metrics. */
import { sql } from 'drizzle-orm';
import { Gauge } from 'prom-client';
import type { DbOrTransaction } from '../database/connect.ts';
import { readPartitionedUntil } from '../database/partitions.ts';

/** A month is sealed a week after its end. */
export const sealedAfterDays = 7;

const partitionedUntil = new Gauge({
  name: 'gateway_partitioned_until_seconds',
  help: 'Until when each table of the ledger has monthly partitions, as a Unix timestamp; at least a month ahead',
});
const sealOverdue = new Gauge({
  name: 'gateway_seal_overdue_seconds',
  help: 'For how long the oldest month that is due to be sealed has been due; 0 if none is',
});

/** One step of the worker. */
export async function measureMonths(db: DbOrTransaction): Promise<void> {
  partitionedUntil.set((await readPartitionedUntil(db)).getTime() / 1_000);
  const [row] = await db.execute<{ seconds: string | null }>(sql`
    WITH months AS (
      SELECT DISTINCT to_date(right(inhrelid::regclass::text, 7), 'YYYY_MM') AS month FROM pg_inherits
      WHERE inhparent IN ('ledger_lines'::regclass, 'usage_events'::regclass, 'usage_requests'::regclass)
        AND inhrelid::regclass::text ~ '_\\d{4}_\\d{2}$'
    ), due AS (
      SELECT (month + interval '1 month') AT TIME ZONE 'UTC' + ${`${sealedAfterDays} days`}::interval AS at FROM months
      WHERE month > coalesce((SELECT max(month) FROM sealed_months WHERE finished_at IS NOT NULL), '-infinity')
    )
    SELECT extract(epoch FROM clock_timestamp() - min(at)) AS seconds FROM due`);
  sealOverdue.set(Math.max(0, Number(row?.seconds ?? 0)));
}
