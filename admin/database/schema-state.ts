/** Compares a database's schema with this program's migrations. */
import type { Sql } from 'postgres';
import journal from '../../drizzle/meta/_journal.json' with { type: 'json' };

export interface SchemaState {
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
