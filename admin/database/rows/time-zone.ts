/** Reads in which time zone the days of an organization begin. */
import type { Sql, TransactionSql } from 'postgres';

/** An IANA name. */
export async function readTimeZone(sql: Sql | TransactionSql, accountId: number): Promise<string> {
  const [settings] = await sql<{ time_zone: string }[]>`
    SELECT time_zone FROM organization_settings WHERE account_id = ${accountId}`;
  return settings?.time_zone ?? 'UTC';
}
