/**
 * Where a page of an account's lines begins that skips some of the newest. Postgres counts those in its tables; of archived charges only
 * the positions are read. So no page has more rows in memory than it shows and one turn of the archive.
 *
 * Call it in the snapshot in which the page is read: there, a charge is either in the tables or in the archive.
 */
import { sql } from 'drizzle-orm';
import { arrayLiteral } from '../../database/array-literal.ts';
import type { DbOrTransaction } from '../../database/connect.ts';
import { ledgerLines } from '../../database/tables/ledger.ts';
import { compactLines } from '../../database/tables/ledger-views.ts';
import type { LinePosition } from '../../http/request/page-cursor.ts';
import type { LedgerRead } from '../ledger.ts';
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

interface Skipping {
  /** How many: at least one. */
  readonly offset: number;
  /** They are older than this one. */
  readonly behind: LinePosition | undefined;
}

/** The last one that is skipped; undefined if there are not so many. */
export async function skipLines(
  ledger: LedgerRead,
  filter: TransactionFilter,
  { offset, behind }: Skipping,
): Promise<LinePosition | undefined> {
  let left = offset;
  let last = behind;
  for await (const slice of slicesOf(ledger, filter, behind)) {
    const skipped = await skipWithin(ledger.db, filter, { slice, behind: last, offset: left });
    if (skipped === undefined) continue;
    left -= skipped.lines;
    last = skipped.last;
    if (left === 0) return last;
  }
  return undefined;
}

/** Lines of consecutive ranges of time, the latest first. */
interface Slice {
  /** Inclusive; undefined in the last one. It ends where the one before begins. */
  readonly from: Date | undefined;
  /** Lines that are in no table. */
  readonly archived: readonly LinePosition[];
}

/** What was booked after all archived charges comes first, so that most pages need no archive. */
async function* slicesOf(
  { db, archive, signal }: LedgerRead,
  { accountId, type, from, to }: TransactionFilter,
  behind: LinePosition | undefined,
): AsyncGenerator<Slice> {
  const range = { from, to: earlierOf(to, endBehind(behind)) };
  const archiveEnd = type === undefined || type === 'usage' ? await archive.endOf(db, range) : undefined;
  let waiting: readonly LinePosition[] = [];
  if (archiveEnd !== undefined) {
    yield { from: archiveEnd, archived: [] };
    for await (const { lines, readFrom } of archive.lines(db, { accountId, ...range, signal })) {
      const { ready = [], open = [] } = Object.groupBy([...waiting, ...lines], ({ exactTime }) =>
        Date.parse(exactTime) < readFrom.getTime() ? 'open' : 'ready',
      );
      yield { from: readFrom, archived: ready };
      waiting = open;
    }
  }
  yield { from: undefined, archived: waiting };
}

interface SkippingWithin extends Skipping {
  readonly slice: Slice;
}

/** How many could be skipped, and the last of them; undefined if there are none. */
async function skipWithin(
  db: DbOrTransaction,
  filter: TransactionFilter,
  { slice, behind, offset }: SkippingWithin,
): Promise<{ readonly lines: number; readonly last: LinePosition } | undefined> {
  const inSlice = { ...filter, from: laterOf(filter.from, slice.from) };
  const archived = behind === undefined ? slice.archived : slice.archived.filter((line) => isOlder(line, behind));
  const times = arrayLiteral(archived.map(({ exactTime }) => exactTime));
  const ids = arrayLiteral(archived.map(({ id }) => id));
  const order = sql.join(newestFirst({ createdAt: sql`created_at`, id: sql`id` }), sql`, `);
  const newestOf = (lines: Lines) =>
    db
      .select({ createdAt: lines.createdAt, id: lines.id })
      .from(lines)
      .where(matches(lines, inSlice, behind))
      .orderBy(...newestFirst(lines))
      .limit(offset);
  const [found] = await db.execute<{ lines: string; exact_time: string; id: string }>(sql`
    SELECT lines, ${exactTimeOf(sql`created_at`)} AS exact_time, id FROM (
      SELECT created_at, id, row_number() OVER (ORDER BY ${order}) AS lines FROM (
        ${newestOf(ledgerLines)} UNION ALL ${newestOf(compactLines)}
        UNION ALL SELECT unnest(${times}::timestamptz[]), unnest(${ids}::bigint[])
      ) AS line ORDER BY ${order} LIMIT ${offset}
    ) AS skipped ORDER BY lines DESC LIMIT 1`);
  return found && { lines: Number(found.lines), last: { exactTime: found.exact_time, id: Number(found.id) } };
}
