/**
 * The monthly partitions of the ledger. Lines are partitioned by their time, usage by its request id: a UUIDv7 begins
 * with its time, so a month is a range of ids. Partitions are created ahead of time, because a late one can no longer
 * be created once the default partition has rows of its month. That is untidy, not wrong: nothing is ever refused, and
 * rows in a default partition count like all others.
 */
import { sql as query } from 'drizzle-orm';
import type { Sql } from 'postgres';
import postgres from 'postgres';
import type { Log } from '../../shared/log.ts';
import { numberedLocks } from './advisory-locks.ts';
import type { DbOrTransaction } from './connect.ts';
import { lockTimeout } from './short-lock.ts';

interface PartitionReport {
  readonly made: readonly string[];
  /** Rows outside of any monthly partition, by default partition; the operator should find out why. */
  readonly strays: ReadonlyMap<string, number>;
}

interface Partition {
  readonly name: string;
  readonly parent: string;
  /** Inclusive. */
  readonly from: string;
  /** Exclusive. */
  readonly to: string;
}

/** This month and the two after it. */
export const monthsAhead = 2;
const parents = { ledger_lines: startOfLines, usage_events: leastRequestId, usage_requests: leastRequestId };
const checkViolation = '23514';

/** Creates the missing ones. Any number of programs may call it concurrently. */
export async function makePartitions(sql: Sql, now = new Date()): Promise<PartitionReport> {
  const made: string[] = [];
  for (const partition of partitionsFrom(now)) {
    if (await makePartition(sql, partition)) made.push(partition.name);
  }
  return { made, strays: await countStrays(sql) };
}

/** The partitions that should exist at a time. */
export function partitionsFrom(now: Date): Partition[] {
  const startOfMonth = (ahead: number) => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + ahead));
  return Object.entries(parents).flatMap(([parent, bound]) =>
    Array.from({ length: monthsAhead + 1 }, (_, ahead) => {
      const from = startOfMonth(ahead);
      return { name: partitionOf(parent, from), parent, from: bound(from), to: bound(startOfMonth(ahead + 1)) };
    }),
  );
}

/** Its name. */
export function partitionOf(parent: string, month: Date): string {
  return `${parent}_${month.toISOString().slice(0, 7).replace('-', '_')}`;
}

/** False if it exists already, or the default partition has rows of its month. */
async function makePartition(sql: Sql, { name, parent, from, to }: Partition): Promise<boolean> {
  try {
    return await sql.begin(async (transaction) => {
      await transaction`
        SELECT pg_advisory_xact_lock(${numberedLocks.partitions.number}), set_config('lock_timeout', ${lockTimeout}, true)`;
      const [found] = await transaction`SELECT WHERE to_regclass(${name}) IS NOT NULL`;
      if (found !== undefined) return false;
      await transaction`SELECT make_partition(${parent}, ${name}, ${`FOR VALUES FROM ('${from}') TO ('${to}')`})`;
      return true;
    });
  } catch (error) {
    if (error instanceof postgres.PostgresError && error.code === checkViolation) return false;
    throw error;
  }
}

/** The end of the months for which every table has a partition, without a gap after the present one. */
export async function readPartitionedUntil(db: DbOrTransaction, now = new Date()): Promise<Date> {
  const names = Object.keys(parents);
  const rows = await db.execute<{ name: string }>(query`
    SELECT inhrelid::regclass::text AS name FROM pg_inherits
    WHERE inhparent::regclass::text IN ${names}`);
  const found = new Set(rows.map(({ name }) => name));
  const month = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth()));
  while (names.every((parent) => found.has(partitionOf(parent, month)))) month.setUTCMonth(month.getUTCMonth() + 1);
  return month;
}

async function countStrays(sql: Sql): Promise<Map<string, number>> {
  const strays = new Map<string, number>();
  for (const parent of Object.keys(parents)) {
    const name = `${parent}_default`;
    const [row] = await sql<{ count: string }[]>`SELECT count(*) FROM ${sql(name)}`;
    if (row !== undefined && row.count !== '0') strays.set(name, Number(row.count));
  }
  return strays;
}

function startOfLines(month: Date): string {
  return month.toISOString();
}

/** The smallest UUID of that millisecond; the 48 leading bits of a UUIDv7 are its time (RFC 9562, section 5.7). */
export function leastRequestId(from: Date): string {
  const time = from.getTime().toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-0000-0000-000000000000`;
}

/** One step of the worker that creates them in advance, and reports rows that arrived without one. */
export async function keepPartitionsMade({ sql, log }: { sql: Sql; log: Log }): Promise<void> {
  const { made, strays } = await makePartitions(sql);
  if (made.length > 0) log.info({ made }, 'partitions made');
  if (strays.size > 0) log.error({ rows: Object.fromEntries(strays) }, 'a default partition of the ledger has rows');
}
