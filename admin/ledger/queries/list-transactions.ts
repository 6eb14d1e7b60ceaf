/** Changes of an account's balance, newest first. Only the customer's side of the ledger, never the gateway's. */
import { sql } from 'drizzle-orm';
import { unionAll } from 'drizzle-orm/pg-core';
import { type NanoUsd, nanoUsd } from '../../../shared/money.ts';
import type { DbOrTransaction } from '../../database/connect.ts';
import { ledgerLines } from '../../database/tables/ledger.ts';
import { columnsOfLines, compactLines, type LedgerLine } from '../../database/tables/ledger-views.ts';
import type { LinePosition } from '../../http/request/page-cursor.ts';
import { asLines, continueInArchive } from '../archive/archived-selection.ts';
import { eventOfRow, type StoredRow } from '../archive/stored-row.ts';
import { type Ledger, type LedgerRead, readSnapshot } from '../ledger.ts';
import { earlierOf, laterOf } from '../times.ts';
import {
  endBehind,
  exactTimeOf,
  isOlder,
  type Lines,
  matches,
  newestFirst,
  type TransactionFilter,
} from './lines-of-account.ts';
import { readBalancesAfter } from './read-balances-after.ts';
import { readParts, type TransactionParts } from './read-parts.ts';
import { skipLines } from './skip-lines.ts';
import type { UsageEvent } from './usage-event.ts';

export function listTransactions(
  ledger: Ledger,
  filter: TransactionFilter,
  page: { readonly limit: number; readonly offset: number },
): Promise<LedgerLine[]> {
  return readSnapshot(ledger, async (db) =>
    (await selectPage({ ...ledger, db }, filter, page)).map(({ line }) => line),
  );
}

/** Those that are in no archive: without waiting for one. */
export async function listRecentTransactions(
  db: DbOrTransaction,
  filter: TransactionFilter,
  limit: number,
): Promise<LedgerLine[]> {
  return (await selectFromTables(db, filter, { limit })).map(({ line }) => line);
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
export function listStatement(ledger: Ledger, filter: TransactionFilter, page: SkippingPage): Promise<StatementPage> {
  return readSnapshot(ledger, async (db) => {
    const snapshot = { ...ledger, db };
    const found = await selectPage(snapshot, filter, { ...page, limit: page.limit + 1 });
    const rows = found.slice(0, page.limit);
    const positions = rows.map(positionOf);
    const last = found.length > rows.length ? positions.at(-1) : undefined;
    // Without a type, nothing lies between two lines of a page, so one balance gives all others.
    const wanted = filter.type === undefined ? positions.slice(0, 1) : positions;
    const parts = await readParts(snapshot, rows);
    const balances = await readBalancesAfter(snapshot, { accountId: filter.accountId, positions: wanted });
    return { lines: withBalances(rows, parts, balances), end: last };
  });
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
  ledger: Ledger,
  filter: TransactionFilter,
  pageLines: number,
): AsyncGenerator<LedgerLine[], void> {
  let behind: LinePosition | undefined;
  for (;;) {
    const rows = await selectLines(ledger, filter, { limit: pageLines, behind });
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
  /** Only lines older than this one. */
  readonly behind?: LinePosition | undefined;
}

interface SkippingPage extends Page {
  /** How many of the newest are left out. */
  readonly offset?: number;
}

export interface PositionedLine {
  readonly line: LedgerLine;
  /** With microseconds. */
  readonly exactTime: string;
  /** Of an archived charge, which is in no table. */
  readonly event?: UsageEvent | undefined;
}

async function selectPage(
  ledger: LedgerRead,
  filter: TransactionFilter,
  { limit, offset = 0, behind }: SkippingPage,
): Promise<PositionedLine[]> {
  if (offset === 0) return selectLines(ledger, filter, { limit, behind });
  const skipped = await skipLines(ledger, filter, { offset, behind });
  return skipped === undefined ? [] : selectLines(ledger, filter, { limit, behind: skipped });
}

async function selectLines(
  { db, archive, signal }: LedgerRead,
  filter: TransactionFilter,
  page: Page,
): Promise<PositionedLine[]> {
  const { accountId, type, from, to } = filter;
  const fromTables = await selectFromTables(db, filter, page);
  if (type !== undefined && type !== 'usage') return fromTables;
  const last = endBehind(page.behind);
  return continueInArchive<PositionedLine>({
    ...{ fromTables, wanted: page.limit },
    charges: (since) => archive.charges(db, { accountId, from: laterOf(from, since), to: earlierOf(to, last), signal }),
    select: (charges) => selectArchived(db, filter, page, charges),
    timeOf: ({ line }) => line.createdAt,
    nameOf: ({ line }) => String(line.id),
    compare: newerFirst,
  });
}

/**
 * The newest of both kinds of lines, each in the order of its index: Postgres would sort all lines of the view
 * `journal_lines`.
 */
async function selectFromTables(db: DbOrTransaction, filter: TransactionFilter, page: Page): Promise<PositionedLine[]> {
  const newestOf = (lines: Lines) => newestLines(db, lines, filter, page);
  const rows = await unionAll(newestOf(ledgerLines), newestOf(compactLines))
    .orderBy(...newestFirst({ createdAt: sql`created_at`, id: sql`id` }))
    .limit(page.limit);
  return rows.map(({ exactTime, ...line }) => ({ line, exactTime }));
}

async function selectArchived(
  db: DbOrTransaction,
  filter: TransactionFilter,
  page: Page,
  charges: readonly StoredRow[],
): Promise<PositionedLine[]> {
  const archived = db.$with('compact_lines', columnsOfLines(compactLines)).as(asLines(charges));
  const rows = await newestLines(db.with(archived), compactLines, filter, page);
  const events = new Map(charges.map((charge) => [Number(charge.line_id), charge]));
  return rows.map(({ exactTime, ...line }) => {
    const charge = events.get(line.id);
    return { line, exactTime, event: charge && eventOfRow(charge) };
  });
}

function newestLines(
  db: Pick<DbOrTransaction, 'select'>,
  lines: Lines,
  filter: TransactionFilter,
  { limit, behind }: Page,
) {
  return db
    .select({ ...columnsOfLines(lines), exactTime: exactTimeOf(lines.createdAt).as('exact_time') })
    .from(lines)
    .where(matches(lines, filter, behind))
    .orderBy(...newestFirst(lines))
    .limit(limit);
}

function newerFirst(one: PositionedLine, other: PositionedLine): number {
  return isOlder(positionOf(one), positionOf(other)) ? 1 : -1;
}
