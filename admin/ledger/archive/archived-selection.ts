/** Lists of charges that continue in the archive. Archived rows are selected from like the tables that they have left, by the same SQL. */
import { type SQL, sql } from 'drizzle-orm';
import type { StoredRow } from './stored-row.ts';
import type { ChargesInTurn } from './usage-archive.ts';

/** In the columns of `usage_events`. */
export function asEvents(rows: readonly StoredRow[]): SQL {
  return sql`SELECT * FROM jsonb_populate_recordset(NULL::usage_events, ${JSON.stringify(rows)}::jsonb)`;
}

/** In the columns of `compact_lines`. */
export function asLines(rows: readonly StoredRow[]): SQL {
  return sql`SELECT * FROM archived_lines(${JSON.stringify(rows)}::jsonb)`;
}

interface Continued<Row> {
  /** The newest rows of the tables: as many as are wanted, if there are. */
  readonly fromTables: readonly Row[];
  readonly wanted: number;
  /** Charges of the archive that were made then or later, the latest first. */
  charges(from: Date | undefined): AsyncIterable<ChargesInTurn>;
  /** What the list shows of some of them. */
  select(charges: readonly StoredRow[]): Promise<readonly Row[]>;
  timeOf(row: Row): Date;
  nameOf(row: Row): string;
  /** Newest first. */
  compare(one: Row, other: Row): number;
}

/** The newest rows, as many as are wanted. What is both in the tables and in the archive has left the tables just now. */
export async function continueInArchive<Row>(list: Continued<Row>): Promise<Row[]> {
  const { fromTables, wanted, timeOf, nameOf, compare } = list;
  const settled: Row[] = [];
  let open = fromTables;
  let readFrom: Date | undefined;
  const last = fromTables[wanted - 1];
  for await (const turn of list.charges(last && timeOf(last))) {
    const selected = turn.rows.length === 0 ? [] : await list.select(turn.rows);
    const found = readFrom === undefined ? selected : selected.filter(isBefore(readFrom, timeOf));
    const unique = [...new Map([...found, ...open].map((row) => [nameOf(row), row])).values()].sort(compare);
    const isOpen = isBefore(turn.readFrom, timeOf);
    settled.push(...unique.filter((row) => !isOpen(row)));
    open = unique.filter(isOpen);
    readFrom = turn.readFrom;
    if (settled.length >= wanted) break;
  }
  return [...settled, ...open].slice(0, wanted);
}

function isBefore<Row>(time: Date, timeOf: (row: Row) => Date): (row: Row) => boolean {
  return (row) => timeOf(row) < time;
}
