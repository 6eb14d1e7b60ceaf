/**
 * Stream entries that could not be booked. They are stored, so that nothing is lost and an operator can look at them,
 * and retried later: the next version of admin may be able to read what this one cannot.
 */
import type { Sql, TransactionSql } from 'postgres';
import type { Shard } from '../../../shared/wallet/shard.ts';
import { fieldsOf, type UsageEntry, unpack } from '../../../shared/wallet/usage-stream/usage-entry.ts';
import { arrayLiteral } from '../../database/array-literal.ts';
import type { AlertTerms } from '../../notifications/alert-sql.ts';
import { applyCharges } from './apply-charges.ts';
import { type Charge, readUsageEntry } from './read-usage-entry.ts';

export interface Reject {
  readonly entry: UsageEntry;
  readonly problem: string;
}

/** Each once: what follows may fail, and then the entries of the shard are read again. */
export async function keepRejects(sql: Sql | TransactionSql, shard: Shard, rejects: readonly Reject[]): Promise<void> {
  if (rejects.length === 0) return;
  const of = (value: (reject: Reject) => string) => arrayLiteral(rejects.map(value));
  await sql`
    INSERT INTO usage_rejects (shard, stream_id, entry, problem)
    SELECT ${shard}, stream_id, entry, problem FROM unnest(
      ${of(({ entry }) => entry.id)}::text[],
      ${of(({ entry }) => JSON.stringify(fieldsOf(entry)))}::text[],
      ${of(({ problem }) => problem)}::text[]
    ) AS new (stream_id, entry, problem)
    WHERE NOT EXISTS (
      SELECT FROM usage_rejects AS kept
      WHERE kept.shard = ${shard} AND kept.stream_id = new.stream_id AND kept.entry = new.entry)`;
}

/** Why a charge that can be read is not booked. */
export function refusalOf({ accountId }: Charge): string {
  return `there is no account ${accountId}, or the month of the request is sealed`;
}

interface RejectRow {
  readonly id: string;
  readonly shard: Shard;
  readonly stream_id: string;
  readonly entry: string;
}

const rowsAtOnce = 500;

/**
 * Books the stored charges that can be booked by now, each once however many try, and deletes them. Returns how many.
 * After a crash between the two they are tried, and ignored, again.
 */
export async function retryRejects(sql: Sql, terms?: AlertTerms): Promise<number> {
  let booked = 0;
  for (let after = '0'; ; ) {
    const rows = await sql<RejectRow[]>`
      SELECT id, shard, stream_id, entry FROM usage_rejects WHERE id > ${after} ORDER BY id LIMIT ${rowsAtOnce}`;
    const last = rows.at(-1);
    if (last === undefined) return booked;
    booked += await bookRows(sql, rows, terms);
    after = last.id;
  }
}

async function bookRows(sql: Sql, rows: readonly RejectRow[], terms?: AlertTerms): Promise<number> {
  const read = rows.map(readRow);
  const charges = read.flatMap((row) => [...row.charges.keys()]);
  const { unknown } = charges.length === 0 ? { unknown: [] } : await applyCharges(sql, charges, terms);
  const refused = new Set(unknown);
  await finishRows(sql, read, refused);
  return charges.length - refused.size;
}

interface ReadRow {
  readonly row: RejectRow;
  /** Several if the entry is a draw. */
  readonly charges: ReadonlyMap<Charge, UsageEntry>;
  /** What still cannot be read of it. */
  readonly unreadable: readonly Reject[];
}

function readRow(row: RejectRow): ReadRow {
  const charges = new Map<Charge, UsageEntry>();
  const unreadable: Reject[] = [];
  for (const entry of unpack({ id: row.stream_id, fields: fieldsOfRow(row.entry) })) {
    const read = readUsageEntry(entry);
    if (read.kind === 'charge') charges.set(read, entry);
    // The proxies report a key again that an older version could not read, and ask for a wallet again.
    else if (read.kind === 'unreadable') unreadable.push({ entry, problem: read.problem });
  }
  return { row, charges, unreadable };
}

/** Of a draw, what is left is stored charge by charge: the rest of it is booked. */
async function finishRows(sql: Sql, rows: readonly ReadRow[], refused: ReadonlySet<Charge>): Promise<void> {
  const finished = new Map<string, { shard: Shard; left: readonly Reject[] }>();
  for (const { row, charges, unreadable } of rows) {
    const unbooked = [...charges].filter(([charge]) => refused.has(charge));
    const left = [...unreadable, ...unbooked.map(([charge, entry]) => ({ entry, problem: refusalOf(charge) }))];
    const isAsItWas = left.length === 1 && charges.size + unreadable.length === 1;
    if (!isAsItWas) finished.set(row.id, { shard: row.shard, left });
  }
  if (finished.size === 0) return;
  await sql.begin(async (transaction) => {
    // What another admin has deleted meanwhile, it has also stored the rest of.
    const deleted = await transaction<{ id: string }[]>`
      DELETE FROM usage_rejects WHERE id = ANY(${[...finished.keys()]}::bigint[]) RETURNING id`;
    for (const { id } of deleted) {
      const { shard, left } = finished.get(id) ?? { left: [] };
      if (shard !== undefined) await keepRejects(transaction, shard, left);
    }
  });
}

/** As written by keepRejects. */
function fieldsOfRow(entry: string): Readonly<Record<string, string>> {
  return JSON.parse(entry);
}
