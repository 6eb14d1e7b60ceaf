/** Compares the schema of a database with the migrations that this program comes with. */
import type { Sql } from 'postgres';
import journal from '../../drizzle/meta/_journal.json' with { type: 'json' };

export interface SchemaState {
  /** Migrations of this program that the database has not had. A newer database is no problem. */
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
