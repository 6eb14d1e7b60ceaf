/** The months of the ledger and their partitions: see admin/database/partitions.ts. */
import type { Sql } from 'postgres';
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
