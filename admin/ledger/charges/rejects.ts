/**
 * Stream entries that could not be booked. They are stored, so that nothing is lost and an operator can look at them,
 * and retried later: the next version of admin may be able to read what this one cannot.
 */
import type { Sql } from 'postgres';
import type { Shard } from '../../../shared/wallet/shard.ts';
import { fieldsOf, type UsageEntry } from '../../../shared/wallet/usage-stream/usage-entry.ts';
import type { AlertTerms } from '../../notifications/alert-sql.ts';
import { applyCharges } from './apply-charges.ts';
import { type Charge, readUsageEntry } from './read-usage-entry.ts';

export interface Reject {
  readonly entry: UsageEntry;
  readonly problem: string;
}

export async function keepRejects(sql: Sql, shard: Shard, rejects: readonly Reject[]): Promise<void> {
  if (rejects.length === 0) return;
  const rows = rejects.map(({ entry, problem }) => ({
    shard,
    stream_id: entry.id,
    entry: JSON.stringify(fieldsOf(entry)),
    problem,
  }));
  await sql`INSERT INTO usage_rejects ${sql(rows)}`;
}

interface RejectRow {
  readonly id: string;
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
      SELECT id, stream_id, entry FROM usage_rejects WHERE id > ${after} ORDER BY id LIMIT ${rowsAtOnce}`;
    const last = rows.at(-1);
    if (last === undefined) return booked;
    booked += await bookRows(sql, rows, terms);
    after = last.id;
  }
}

async function bookRows(sql: Sql, rows: readonly RejectRow[], terms?: AlertTerms): Promise<number> {
  const charges = new Map<Charge, string>();
  const needless: string[] = [];
  for (const row of rows) {
    const read = readUsageEntry({ id: row.stream_id, fields: fieldsOfRow(row.entry) });
    if (read.kind === 'charge') charges.set(read, row.id);
    // An older version could not read it. The proxies report the key again.
    else if (read.kind === 'rehash') needless.push(row.id);
  }
  if (needless.length > 0) await sql`DELETE FROM usage_rejects WHERE id = ANY(${needless}::bigint[])`;
  if (charges.size === 0) return 0;
  const { unknown } = await applyCharges(sql, [...charges.keys()], terms);
  for (const charge of unknown) charges.delete(charge);
  await sql`DELETE FROM usage_rejects WHERE id = ANY(${[...charges.values()]}::bigint[])`;
  return charges.size;
}

/** As written by keepRejects. */
function fieldsOfRow(entry: string): Readonly<Record<string, string>> {
  return JSON.parse(entry);
}
