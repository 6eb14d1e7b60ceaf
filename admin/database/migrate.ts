/**
 * Migrates the schema, and creates the partitions of the coming months. An advisory lock lets several programs call it
 * at once: drizzle's own migrator races. Migrations run while admins work: they never wait for a lock for longer than a
 * second, in which others would wait behind them, but try again.
 */
import { join } from 'node:path';
import { drizzle } from 'drizzle-orm/postgres-js';
import { migrate } from 'drizzle-orm/postgres-js/migrator';
import type { Sql } from 'postgres';
import journal from '../../drizzle/meta/_journal.json' with { type: 'json' };
import { numberedLocks } from './advisory-locks.ts';
import { buildIndexes } from './build-indexes.ts';
import { longWaits, openPool } from './connect.ts';
import { makePartitions } from './partitions.ts';
import { lockTimeout, untilFree } from './short-lock.ts';

const migrationsFolder = join(import.meta.dir, '../../drizzle');
/** A migration may rewrite a table, or wait for another program's migration. */
const migrationSecondsMax = 3_600;
const lockPollMs = 250;
/** At most two seconds each: reconciling may read a large ledger for ten minutes. */
const migrationAttempts = 600;

export async function migrateDatabase(url: string): Promise<void> {
  const client = openPool(url, { ...longWaits, responseSeconds: migrationSecondsMax }, { max: 1 });
  try {
    const db = drizzle(client);
    await lockMigrations(client);
    const [before] = await client<{ isNew: boolean }[]>`SELECT to_regclass('ledger_lines') IS NULL AS "isNew"`;
    await buildIndexes(client);
    await client`SELECT set_config('lock_timeout', ${lockTimeout}, false)`;
    await untilFree(() => migrate(db, { migrationsFolder }), migrationAttempts);
    // No older version has worked with it.
    if (before?.isNew) await bookCompactly(client);
    await makePartitions(client);
  } finally {
    await client.end({ timeout: 5 });
  }
}

/**
 * It asks instead of waiting: a statement that waits is a transaction, for whose end an index of the other program, which is built
 * without locking its table, would wait in turn.
 */
async function lockMigrations(sql: Sql): Promise<void> {
  const giveUpAt = Date.now() + 1_000 * migrationSecondsMax;
  for (;;) {
    const [row] = await sql<{ isLocked: boolean }[]>`
      SELECT pg_try_advisory_lock(${numberedLocks.migration.number}) AS "isLocked"`;
    if (row?.isLocked) return;
    if (Date.now() > giveUpAt) throw new Error(`another program has been migrating for ${migrationSecondsMax} s`);
    await Bun.sleep(lockPollMs);
  }
}

/** Books charges as one row each from now on: see tables/ledger.ts. False if it was so before. */
export async function bookCompactly(sql: Sql): Promise<boolean> {
  const changed = await sql`UPDATE ledger_settings SET compact = true WHERE NOT compact`;
  return changed.count > 0;
}

interface SchemaState {
  /** This program's migrations that the database lacks. A newer database is fine. */
  readonly missing: readonly string[];
}

export async function readSchemaState(sql: Sql): Promise<SchemaState> {
  const [table] = await sql<{ exists: boolean }[]>`
    SELECT to_regclass('drizzle.__drizzle_migrations') IS NOT NULL AS exists`;
  const [last] = table?.exists
    ? await sql<{ at: string | null }[]>`SELECT max(created_at) AS at FROM drizzle.__drizzle_migrations`
    : [];
  const appliedUntil = Number(last?.at ?? 0);
  return { missing: journal.entries.filter(({ when }) => when > appliedUntil).map(({ tag }) => tag) };
}
