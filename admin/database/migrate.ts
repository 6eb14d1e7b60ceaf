/**
 * Migrates the schema, and creates the partitions of the coming months. An advisory lock lets several programs call it
 * at once: drizzle's own migrator races.
 */

import { join } from 'node:path';
import { drizzle } from 'drizzle-orm/postgres-js';
import { migrate } from 'drizzle-orm/postgres-js/migrator';
import { makePartitions } from '../ledger/partitions.ts';
import { numberedLocks } from './advisory-locks.ts';
import { longWaits, openPool } from './connect.ts';

const migrationsFolder = join(import.meta.dir, '../../drizzle');
/** A migration may rewrite a table, or wait for another program's migration. */
const migrationSecondsMax = 3_600;

export async function migrateDatabase(url: string): Promise<void> {
  const client = openPool(url, { ...longWaits, answerSeconds: migrationSecondsMax }, { max: 1 });
  try {
    const db = drizzle(client);
    await client`SELECT pg_advisory_lock(${numberedLocks.migration.number})`;
    await migrate(db, { migrationsFolder });
    await makePartitions(client);
  } finally {
    await client.end({ timeout: 5 });
  }
}
