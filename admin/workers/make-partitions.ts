/** Creates the ledger's partitions in advance, and reports rows that arrived without one. */
import type { Sql } from 'postgres';
import type { Log } from '../../shared/log.ts';
import { makePartitions } from '../ledger/partitions.ts';

/** One step. */
export async function keepPartitionsMade({ sql, log }: { sql: Sql; log: Log }): Promise<void> {
  const { made, strays } = await makePartitions(sql);
  if (made.length > 0) log.info({ made }, 'partitions made');
  if (strays.size > 0) log.error({ rows: Object.fromEntries(strays) }, 'a default partition of the ledger has rows');
}
