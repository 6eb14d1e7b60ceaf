/** Changes of an account's balance, newest first. Only the customer's side of the ledger, never the gateway's. */
import { and, eq, getViewSelectedFields, gte, lt, type SQL, sql } from 'drizzle-orm';
import { type NanoUsd, nanoUsd } from '../../../shared/money.ts';
import type { Db, DbOrTransaction } from '../../database/connect.ts';
import { journalLines, type LedgerLine } from '../../database/tables/ledger-views.ts';
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

/**
 * The id breaks ties between lines of one instant, so that pages never overlap. The order is spelled out like the
 * index's: Postgres does not use an index with a different placement of nulls, even if there are none.
 */
const newestFirst = [
  sql`${journalLines.createdAt} desc nulls last`,
  sql`${journalLines.id} desc nulls last`,
] as const satisfies SQL[];

const snapshot = { isolationLevel: 'repeatable read', accessMode: 'read only' } as const;

const columns = getViewSelectedFields(journalLines);

/** As text: a Date would drop the microseconds, and the next page would repeat lines of the one before. */
const exactTime = sql<string>`${journalLines.createdAt}::text`;

export function listTransactions(
  db: DbOrTransaction,
  filter: TransactionFilter,
  page: { readonly limit: number; readonly offset: number },
): Promise<LedgerLine[]> {
  return db
    .select()
    .from(journalLines)
    .where(matches(filter))
    .orderBy(...newestFirst)
    .limit(page.limit)
    .offset(page.offset);
}

export interface StatementLine {
  readonly line: LedgerLine;
  readonly parts: TransactionParts;
  readonly balanceAfterNano: NanoUsd;
}

/** A page with what each line is about, and the balance after it, from one snapshot. */
export function listStatement(
  db: Db,
  filter: TransactionFilter,
  page: { readonly limit: number; readonly offset: number },
): Promise<StatementLine[]> {
  return db.transaction(async (transaction) => {
    const rows = await transaction
      .select({ line: columns, exactTime })
      .from(journalLines)
      .where(matches(filter))
      .orderBy(...newestFirst)
      .limit(page.limit)
      .offset(page.offset);
    const positions = rows.map(({ line, exactTime }) => ({ id: line.id, exactTime }));
    // Without a type, nothing lies between two lines of a page, so one balance gives all others.
    const wanted = filter.type === undefined ? positions.slice(0, 1) : positions;
    const parts = await readParts(
      transaction,
      rows.map(({ line }) => line),
    );
    return withBalances(rows, parts, await readBalancesAfter(transaction, filter.accountId, wanted));
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
  let behind: SQL | undefined;
  for (;;) {
    const rows = await db
      .select({ line: columns, exactTime })
      .from(journalLines)
      .where(and(matches(filter), behind))
      .orderBy(...newestFirst)
      .limit(pageLines);
    yield rows.map(({ line }) => line);
    const last = rows.at(-1);
    if (last === undefined || rows.length < pageLines) return;
    behind = sql`(${journalLines.createdAt}, ${journalLines.id}) < (${last.exactTime}::timestamptz, ${last.line.id})`;
  }
}

function matches({ accountId, type, from, to }: TransactionFilter): SQL | undefined {
  return and(
    eq(journalLines.accountId, accountId),
    eq(journalLines.book, 'wallet'),
    type && eq(journalLines.type, type),
    from && gte(journalLines.createdAt, from),
    to && lt(journalLines.createdAt, to),
  );
}
