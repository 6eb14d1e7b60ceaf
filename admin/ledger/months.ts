/** The months of the ledger and their partitions: see admin/database/partitions.ts. */
import type { Sql, TransactionSql } from 'postgres';
import { leastRequestId, partitionOf } from '../database/partitions.ts';

export interface LedgerMonth {
  /** Its first day: `2026-10-01`. */
  readonly month: string;
  readonly start: Date;
  /** Exclusive. */
  readonly end: Date;
  /** Its request ids: from this one, inclusive. */
  readonly fromId: string;
  /** Exclusive. */
  readonly untilId: string;
  /** Its partitions, which need not exist. */
  readonly lines: string;
  readonly events: string;
  readonly heads: string;
}

export function monthOf(first: Date): LedgerMonth {
  const end = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1));
  return {
    month: first.toISOString().slice(0, 10),
    start: first,
    end,
    fromId: leastRequestId(first),
    untilId: leastRequestId(end),
    lines: partitionOf('ledger_lines', first),
    events: partitionOf('usage_events', first),
    heads: partitionOf('usage_requests', first),
  };
}

/** The months that these tables have partitions of, oldest first. */
export async function listMonths(sql: Sql, parents: readonly string[]): Promise<LedgerMonth[]> {
  const rows = await sql<{ name: string }[]>`
    SELECT inhrelid::regclass::text AS name FROM pg_inherits
    WHERE inhparent = ANY(${[...parents]}::text[]::regclass[])`;
  const firstDays = rows.flatMap(({ name }) => {
    const [, year, month] = /_(\d{4})_(\d\d)$/.exec(name) ?? [];
    return year === undefined ? [] : [`${year}-${month}-01`];
  });
  return [...new Set(firstDays)].toSorted().map((day) => monthOf(new Date(day)));
}

const lockTimeout = '1s';
const lockAttempts = 30;
const lockPauseMs = 1_000;

/**
 * Work that locks partitions briefly. It must not block the postings: if it would have to wait, it tries again while they hold
 * the tables.
 */
export async function withShortLock(
  sql: Sql | TransactionSql,
  work: (transaction: TransactionSql) => Promise<void>,
): Promise<void> {
  const attempted = async (transaction: TransactionSql) => {
    await transaction`SELECT set_config('lock_timeout', ${lockTimeout}, true)`;
    await work(transaction);
  };
  for (let attempt = 1; ; attempt += 1) {
    try {
      await ('savepoint' in sql ? sql.savepoint(attempted) : sql.begin(attempted));
      return;
    } catch (error) {
      const isBusy = error instanceof Error && 'code' in error && error.code === lockNotAvailable;
      if (!isBusy || attempt === lockAttempts) throw error;
      await Bun.sleep(lockPauseMs);
    }
  }
}

/** https://www.postgresql.org/docs/current/errcodes-appendix.html */
const lockNotAvailable = '55P03';
