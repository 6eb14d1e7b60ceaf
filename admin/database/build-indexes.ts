/**
 * Builds the indexes that a migration adds to large tables before it runs, without blocking those who write: the migration
 * then finds them and only attaches them. Inside a migration, which is a transaction, a build would stop all postings for as
 * long as it reads the table.
 */
import type { Sql } from 'postgres';
import { withShortLock } from './short-lock.ts';

interface LaterIndex {
  /** As the migration names it. */
  readonly name: string;
  /** A partitioned table. */
  readonly table: string;
  /** What it needs, in the form that the migration accepts afterwards. */
  readonly before?: string;
  /** What the name of each partition's own index ends with. */
  readonly suffix: string;
  /** As in the migration. */
  readonly definition: string;
}

/** Of releases that databases may still have to be migrated from. */
export const laterIndexes: readonly LaterIndex[] = [
  {
    name: 'usage_events_journal',
    table: 'usage_events',
    before: 'ALTER TABLE usage_events ADD COLUMN IF NOT EXISTS journal_id bigint',
    suffix: 'journal_id_idx',
    definition: '(journal_id) WHERE journal_id IS NOT NULL',
  },
  {
    name: 'usage_events_charged',
    table: 'usage_events',
    suffix: 'charged_idx',
    definition: '(account_id, charged_at NULLS FIRST)',
  },
  {
    name: 'usage_events_rare',
    table: 'usage_events',
    suffix: 'rare_idx',
    definition: `USING gin ((ARRAY[key_id]), (ARRAY[(account_id::text || ' ' || model) COLLATE "C"]))`,
  },
];

/** Continues where a run was killed. A build waits for running transactions, and blocks no writer. */
export async function buildIndexes(sql: Sql): Promise<void> {
  for (const index of laterIndexes) {
    const [state] = await sql<{ isDue: boolean }[]>`
      SELECT to_regclass(${index.table}) IS NOT NULL AND to_regclass(${index.name}) IS NULL AS "isDue"`;
    if (state?.isDue) await buildOnPartitions(sql, index);
  }
}

async function buildOnPartitions(sql: Sql, { table, before, suffix, definition }: LaterIndex): Promise<void> {
  if (before !== undefined) await withShortLock(sql, async (transaction) => void (await transaction.unsafe(before)));
  const partitions = await sql<{ name: string }[]>`
    SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = ${table}::regclass ORDER BY 1`;
  for (const { name } of partitions) {
    const own = `${name}_${suffix}`;
    const [found] = await sql<{ isValid: boolean }[]>`
      SELECT indisvalid AS "isValid" FROM pg_index WHERE indexrelid = to_regclass(${own})`;
    if (found?.isValid) continue;
    await sql.unsafe(`DROP INDEX CONCURRENTLY IF EXISTS "${own}"`);
    await sql.unsafe(`CREATE INDEX CONCURRENTLY "${own}" ON "${name}" ${definition}`);
  }
}
