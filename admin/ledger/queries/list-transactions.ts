/** Changes of an account's balance, newest first. Only the customer's side of the ledger, never the gateway's. */
import { and, eq, gte, lt, type SQL, sql } from 'drizzle-orm';
import { unionAll } from 'drizzle-orm/pg-core';
import { type NanoUsd, nanoUsd } from '../../../shared/money.ts';
import type { Db, DbOrTransaction } from '../../database/connect.ts';
import { ledgerLines } from '../../database/tables/ledger.ts';
import { compactLines, type LedgerLine } from '../../database/tables/ledger-views.ts';
import type { LinePosition } from '../../http/request/page-cursor.ts';
import { readBalancesAfter } from './read-balances-after.ts';
import { readParts, type TransactionParts } from './read-parts.ts';

export interface TransactionFilter {
  readonly accountId: number;
  readonly type: LedgerLine['type'] | undefined;
  /** Inclusive. */
  readonly from: Date | undefined;
  /** Exclusive, so that consecutive ranges neither overlap nor leave gaps. */
  readonly to: Date | undefined;
}

const snapshot = { isolationLevel: 'repeatable read', accessMode: 'read only' } as const;

export async function listTransactions(
  db: DbOrTransaction,
  filter: TransactionFilter,
  page: { readonly limit: number; readonly offset: number },
): Promise<LedgerLine[]> {
  return (await selectLines(db, filter, page)).map(({ line }) => line);
}

export interface StatementLine {
  readonly line: LedgerLine;
  readonly parts: TransactionParts;
  readonly balanceAfterNano: NanoUsd;
}

export interface StatementPage {
  readonly lines: readonly StatementLine[];
  /** The last line of the page, if more follow it. */
  readonly end: LinePosition | undefined;
}

/** A page with what each line is about, and the balance after it, from one snapshot. */
export function listStatement(db: Db, filter: TransactionFilter, page: Page): Promise<StatementPage> {
  return db.transaction(async (transaction) => {
    const found = await selectLines(transaction, filter, { ...page, limit: page.limit + 1 });
    const rows = found.slice(0, page.limit);
    const positions = rows.map(positionOf);
    const last = found.length > rows.length ? positions.at(-1) : undefined;
    // Without a type, nothing lies between two lines of a page, so one balance gives all others.
    const wanted = filter.type === undefined ? positions.slice(0, 1) : positions;
    const parts = await readParts(
      transaction,
      rows.map(({ line }) => line),
    );
    const balances = await readBalancesAfter(transaction, filter.accountId, wanted);
    return { lines: withBalances(rows, parts, balances), end: last };
  }, snapshot);
}

function withBalances(
  rows: readonly { readonly line: LedgerLine }[],
  parts: readonly TransactionParts[],
  known: readonly NanoUsd[],
): StatementLine[] {
  const statement: StatementLine[] = [];
  for (const [index, { line }] of rows.entries()) {
    const above = statement.at(-1);
    const balanceAfterNano = known[index] ?? (above && nanoUsd(above.balanceAfterNano - above.line.amountNano));
    const part = parts[index];
    if (balanceAfterNano === undefined || part === undefined) throw new Error(`no balance after line ${line.id}`);
    statement.push({ line, parts: part, balanceAfterNano });
  }
  return statement;
}

/**
 * All of them, a page at a time. Each page is a separate query that continues after the last line: slow readers hold
 * neither a connection nor a snapshot, and no page costs more than the first. Every line booked before the start is
 * included once; a line booked during the read may be.
 */
export async function* walkTransactions(
  db: DbOrTransaction,
  filter: TransactionFilter,
  pageLines: number,
): AsyncGenerator<LedgerLine[], void> {
  let behind: LinePosition | undefined;
  for (;;) {
    const rows = await selectLines(db, filter, { limit: pageLines, behind });
    yield rows.map(({ line }) => line);
    const last = rows.at(-1);
    if (last === undefined || rows.length < pageLines) return;
    behind = positionOf(last);
  }
}

function positionOf({ line: { id }, exactTime }: PositionedLine): LinePosition {
  return { id, exactTime };
}

interface Page {
  readonly limit: number;
  readonly offset?: number;
  /** Only lines older than this one. */
  readonly behind?: LinePosition | undefined;
}

interface PositionedLine {
  readonly line: LedgerLine;
  /** A Date would drop the microseconds, and the next page would repeat lines of the one before. */
  readonly exactTime: string;
}

/**
 * The newest of both kinds of lines, each in the order of its index: Postgres would sort all lines of the view
 * `journal_lines`.
 */
async function selectLines(
  db: DbOrTransaction,
  filter: TransactionFilter,
  { limit, offset = 0, behind }: Page,
): Promise<PositionedLine[]> {
  const newestOf = (lines: Lines) =>
    db
      .select({ ...columnsOf(lines), exactTime: exactTimeOf(lines) })
      .from(lines)
      .where(and(matches(lines, filter), behind && isBehind(lines, behind)))
      .orderBy(...newestFirst(lines))
      .limit(limit + offset);
  const rows = await unionAll(newestOf(ledgerLines), newestOf(compactLines))
    .orderBy(sql`created_at desc nulls last`, sql`id desc nulls last`)
    .limit(limit)
    .offset(offset);
  return rows.map(({ exactTime, ...line }) => ({ line, exactTime }));
}

type Lines = typeof compactLines | typeof ledgerLines;

/**
 * The id breaks ties between lines of one instant, so that pages never overlap. The order is spelled out like the
 * index's: Postgres does not use an index with a different placement of nulls, even if there are none.
 */
function newestFirst({ createdAt, id }: Lines): SQL[] {
  return [sql`${createdAt} desc nulls last`, sql`${id} desc nulls last`];
}

function exactTimeOf({ createdAt }: Lines) {
  return sql<string>`to_char(${createdAt} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`.as('exact_time');
}

function columnsOf(lines: Lines) {
  const { id, journalId, book, accountId, amountNano, type, description, requestId, model, createdAt } = lines;
  return { id, journalId, book, accountId, amountNano, type, description, requestId, model, createdAt };
}

function isBehind({ createdAt, id }: Lines, behind: LinePosition): SQL {
  return sql`(${createdAt}, ${id}) < (${behind.exactTime}::timestamptz, ${behind.id}::bigint)`;
}

function matches(lines: Lines, { accountId, type, from, to }: TransactionFilter): SQL | undefined {
  return and(
    eq(lines.accountId, accountId),
    eq(lines.book, 'wallet'),
    type && eq(lines.type, type),
    from && gte(lines.createdAt, from),
    to && lt(lines.createdAt, to),
  );
}
