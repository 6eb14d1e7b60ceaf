/**
 * The lines of charges whose events were archived in blocks are in the ledger. They say what their events say: both are compared by the
 * sum of their hashes, which needs no order. No other line may be marked as one of them, since sums leave them out.
 */
import type { Sql } from 'postgres';
import { eventsOfBlocks } from '../archive/archived-blocks.ts';
import type { StoredRow } from '../archive/stored-row.ts';
import { rowTextExpression, textOfRow } from './row-text.ts';
import type { Seal } from './seal.ts';

/** What a line has from its event. */
const columns = ['id', 'journal_id', 'book', 'account_id', 'amount_nano', 'type', 'request_id', 'model', 'created_at'];
/** Of each hash: sums of them are numbers of Postgres. */
const bits = 60;

interface SumOfHashes {
  readonly rows: number;
  readonly sum: bigint;
}

export async function problemsOfKeptLines(sql: Sql, seal: Pick<Seal, 'month' | 'startedAt'>): Promise<string[]> {
  return [...(await problemsOfMarks(sql, seal)), ...(await problemsOfContents(sql, seal))];
}

/** In the partition of the month, whichever month the charges are of. */
async function problemsOfMarks(sql: Sql, { month }: Pick<Seal, 'month'>): Promise<string[]> {
  const [partition] = await sql`SELECT WHERE to_regclass(${month.lines}) IS NOT NULL`;
  if (partition === undefined) return [];
  const [found] = await sql<{ wrong: string }[]>`
    SELECT count(*) AS wrong FROM ${sql(month.lines)} AS line WHERE is_archived_charge AND NOT EXISTS (
      SELECT FROM sealed_months AS sealed JOIN archived_months AS archived USING (month)
      WHERE archived.finished_at IS NOT NULL AND line.request_id >= sealed.from_id AND line.request_id < sealed.until_id
        AND line.created_at < sealed.started_at
    )`;
  const wrong = Number(found?.wrong);
  return wrong === 0 ? [] : [`Of the lines marked as archived charges, ${wrong} belong to no archived month.`];
}

/** None if the usage of the month is not archived in blocks. */
async function problemsOfContents(sql: Sql, seal: Pick<Seal, 'month' | 'startedAt'>): Promise<string[]> {
  const [archived] = await sql`
    SELECT FROM archived_months WHERE month = ${seal.month.month} AND finished_at IS NOT NULL AND file IS NULL`;
  if (archived === undefined) return [];
  const [expected, kept] = [await sumArchived(sql, seal), await sumKept(sql, seal)];
  if (expected.rows === kept.rows && expected.sum === kept.sum) return [];
  const difference = expected.rows === kept.rows ? 'differ' : `are ${kept.rows} instead of ${expected.rows}`;
  return [`The lines of its charges ${difference} from what the archive has of them.`];
}

async function sumArchived(sql: Sql, { month }: Pick<Seal, 'month'>): Promise<SumOfHashes> {
  let [rows, sum] = [0, 0n];
  for await (const event of eventsOfBlocks(sql, month)) {
    if ((event.journal_id ?? null) === null) continue;
    const text = textOfRow('lines', columns, lineOf(event));
    const hash = new Bun.CryptoHasher('sha256').update(text).digest('hex');
    sum += BigInt(`0x${hash.slice(0, bits / 4)}`);
    rows += 1;
  }
  return { rows, sum };
}

/** As the view `compact_lines` has it. */
function lineOf(event: StoredRow): StoredRow {
  return {
    ...event,
    id: event.line_id,
    book: 'wallet',
    amount_nano: -BigInt(String(event.booked_nano ?? 0)),
    type: 'usage',
    created_at: event.charged_at,
  };
}

/** A charge is made after its request began, by another clock, and before its month was sealed. */
async function sumKept(sql: Sql, { month, startedAt }: Pick<Seal, 'month' | 'startedAt'>): Promise<SumOfHashes> {
  const text = sql.unsafe(rowTextExpression('lines', columns));
  const [found] = await sql<{ rows: string; sum: string }[]>`
    SELECT count(*) AS rows, coalesce(sum(
      ('x' || substr(encode(sha256(convert_to(${text}, 'UTF8')), 'hex'), 1, ${bits / 4}))::bit(60)::bigint
    ), 0) AS sum
    FROM ledger_lines
    WHERE is_archived_charge AND request_id >= ${month.fromId} AND request_id < ${month.untilId}
      AND created_at >= ${month.start}::timestamptz - interval '1 day' AND created_at < ${startedAt}`;
  return { rows: Number(found?.rows), sum: BigInt(found?.sum ?? 0) };
}
