/** The form of archived usage: a line of JSON for each request, and how a receipt finds its events there. */
import { getTableColumns, sql } from 'drizzle-orm';
import type { Sql } from 'postgres';
import type { DbOrTransaction } from '../../database/connect.ts';
import { usageEvents } from '../../database/tables/usage.ts';
import type { LedgerMonth } from '../months.ts';
import type { UsageEvent } from '../queries/itemise-charge.ts';

/** A row as the driver reads it: large numbers are texts, so that JSON rounds none. */
export type StoredRow = Readonly<Record<string, unknown>>;

export interface ArchivedRequest {
  readonly head: StoredRow;
  readonly events: readonly StoredRow[];
}

/** Of a month. */
export interface ArchiveSums {
  readonly requests: number;
  readonly events: number;
  readonly chargedNano: bigint;
}

export function packRequests(requests: readonly ArchivedRequest[]): Buffer {
  const text = requests.map((request) => `${JSON.stringify(request)}\n`).join('');
  return Buffer.from(Bun.gzipSync(Buffer.from(text)));
}

export function unpackRequests(content: Uint8Array): ArchivedRequest[] {
  const text = Buffer.from(Bun.gunzipSync(Uint8Array.from(content))).toString();
  // Written by packRequests, which the archive never changes.
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as ArchivedRequest);
}

/** The events of an archived request, by rank; none if it is not in the archive. */
export async function readArchivedEvents(db: DbOrTransaction, requestId: string): Promise<UsageEvent[]> {
  const [block] = await db.execute<{ content: Buffer }>(sql`
    SELECT content FROM (
      SELECT last_id, content FROM archived_usage WHERE first_id <= ${requestId}::uuid ORDER BY first_id DESC LIMIT 1
    ) AS nearest WHERE last_id >= ${requestId}::uuid`);
  if (block === undefined) return [];
  const found = unpackRequests(block.content).find(({ head }) => head.request_id === requestId);
  return found === undefined ? [] : found.events.map(readEvent);
}

const blocksAtOnce = 20;
export const leastUuid = '00000000-0000-0000-0000-000000000000';

/** The events of an archived month, by request and rank; of the requests after `after`, up to `until`. */
export async function* archivedEvents(
  sql: Sql,
  { month, untilId }: LedgerMonth,
  { after = leastUuid, until = untilId }: { readonly after?: string; readonly until?: string } = {},
): AsyncGenerator<StoredRow> {
  const blocks = sql<{ content: Buffer }[]>`
    SELECT content FROM archived_usage
    WHERE month = ${month} AND last_id > ${after}::uuid AND first_id <= ${until}::uuid ORDER BY first_id`;
  for await (const rows of blocks.cursor(blocksAtOnce)) {
    for (const { content } of rows) {
      for (const { head, events } of unpackRequests(content)) {
        const id = String(head.request_id);
        if (id > after && id <= until) yield* events;
      }
    }
  }
}

const columns = Object.entries(getTableColumns(usageEvents));

/** A column that was added after the row was archived has its default. */
function readEvent(row: StoredRow): UsageEvent {
  const members = columns.map(([name, column]) => {
    const stored = row[column.name];
    if (stored === undefined) return [name, column.default ?? null];
    return [name, stored === null ? null : column.mapFromDriverValue(stored)];
  });
  return Object.fromEntries(members);
}
