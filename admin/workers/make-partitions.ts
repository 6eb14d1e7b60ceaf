/** Keeps the ledger's months ready, and says so when rows came for which there was no month. */
import type { Sql } from 'postgres';
import type { Log } from '../../shared/log.ts';
import { makePartitions } from '../ledger/partitions.ts';

/** One step. */
export async function keepPartitionsMade({ sql, log }: { sql: Sql; log: Log }): Promise<void> {
  const { made, strays } = await makePartitions(sql);
  if (made.length > 0) log.info({ made }, 'partitions made');
  if (strays.size > 0) log.error({ rows: Object.fromEntries(strays) }, 'rows lie in a default partition of the ledger');
}
