/** Where Postgres spends its time, by statement; a trigger's statements count for the outer one and are listed too. */
import type { Sql } from 'postgres';

export interface ProfileLine {
  readonly statement: string;
  readonly calls: number;
  readonly milliseconds: number;
  readonly microsecondsPerEvent: number;
}

const linesMax = 16;
const statementCharacters = 70;

export async function resetProfile(sql: Sql): Promise<void> {
  await sql`SELECT pg_stat_statements_reset()`;
}

export async function readProfile(sql: Sql, eventCount: number): Promise<ProfileLine[]> {
  const rows = await sql<{ query: string; calls: string; milliseconds: number }[]>`
    SELECT query, sum(calls) AS calls, sum(total_exec_time + total_plan_time) AS milliseconds FROM pg_stat_statements
    WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database())
    GROUP BY query ORDER BY milliseconds DESC LIMIT ${linesMax}`;
  return rows.map(({ query, calls, milliseconds }) => ({
    statement: query.replace(/\s+/g, ' ').trim().slice(0, statementCharacters),
    calls: Number(calls),
    milliseconds: Math.round(milliseconds),
    microsecondsPerEvent: Math.round((milliseconds * 10_000) / eventCount) / 10,
  }));
}

/** What a charge takes in Postgres: its rows and their indexes, without totals, which accounts share. */
export async function readBytes(sql: Sql, eventCount: number): Promise<number> {
  const [row] = await sql<{ bytes: string }[]>`
    SELECT sum(pg_relation_size(oid)) AS bytes FROM pg_class
    WHERE relkind IN ('r', 'i') AND relname ~ '^(usage_events|usage_requests|ledger_lines)_'`;
  return Math.round(Number(row?.bytes) / eventCount);
}
