/** Which lines of the ledger a list of an account's transactions has, and in which order. */
import { and, eq, gte, lt, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import type { ledgerLines } from '../../database/tables/ledger.ts';
import type { compactLines, LedgerLine } from '../../database/tables/ledger-views.ts';
import type { LinePosition } from '../../http/request/page-cursor.ts';

export interface TransactionFilter {
  readonly accountId: number;
  readonly type: LedgerLine['type'] | undefined;
  /** Inclusive. */
  readonly from: Date | undefined;
  /** Exclusive, so that consecutive ranges neither overlap nor leave gaps. */
  readonly to: Date | undefined;
}

/** Where lines are selected from; both have the same columns. */
export type Lines = typeof compactLines | typeof ledgerLines;

/** Only the customer's side. With `behind`, those that are older. */
export function matches(
  lines: Lines,
  { accountId, type, from, to }: TransactionFilter,
  behind: LinePosition | undefined,
): SQL | undefined {
  return and(
    eq(lines.accountId, accountId),
    eq(lines.book, 'wallet'),
    type && eq(lines.type, type),
    from && gte(lines.createdAt, from),
    to && lt(lines.createdAt, to),
    behind && sql`(${lines.createdAt}, ${lines.id}) < (${behind.exactTime}::timestamptz, ${behind.id}::bigint)`,
  );
}

/**
 * The id breaks ties between lines of one instant, so that pages never overlap. The order is spelled out like the
 * index's: Postgres does not use an index with a different placement of nulls, even if there are none.
 */
export function newestFirst({ createdAt, id }: { readonly createdAt: SQLWrapper; readonly id: SQLWrapper }): SQL[] {
  return [sql`${createdAt} desc nulls last`, sql`${id} desc nulls last`];
}

/** The same order, of positions that were read. */
export function isOlder(one: LinePosition, other: LinePosition): boolean {
  return one.exactTime === other.exactTime ? one.id < other.id : one.exactTime < other.exactTime;
}

/** A Date would drop the microseconds, and the next page would repeat lines of the one before. */
export function exactTimeOf(createdAt: SQLWrapper): SQL<string> {
  return sql<string>`to_char(${createdAt} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
}

/** After all lines that are behind the position; undefined if there is no position. */
export function endBehind(behind: LinePosition | undefined): Date | undefined {
  return behind && new Date(Date.parse(behind.exactTime) + 1);
}
