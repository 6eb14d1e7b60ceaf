/**
 * Months that were archived before there were files of charges: blocks of requests in Postgres, each a line of JSON. The lines of
 * their compact charges are in `ledger_lines`.
 */
import { sql } from 'drizzle-orm';
import type { Sql } from 'postgres';
import type { DbOrTransaction } from '../../database/connect.ts';
import type { LedgerMonth } from '../months.ts';
import type { StoredRow } from './stored-row.ts';

interface ArchivedRequest {
  /** Of `usage_requests`. */
  readonly head: StoredRow;
  readonly events: readonly StoredRow[];
}

export function unpackRequests(content: Uint8Array): ArchivedRequest[] {
  const text = Buffer.from(Bun.gunzipSync(Uint8Array.from(content))).toString();
  // Written by an earlier version; the archive never changes.
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as ArchivedRequest);
}

/** The events of a request, by rank; none if it is in no block. */
export async function findInBlocks(db: DbOrTransaction, requestId: string): Promise<readonly StoredRow[]> {
  const [block] = await db.execute<{ content: Buffer }>(sql`
    SELECT content FROM (
      SELECT last_id, content FROM archived_usage WHERE first_id <= ${requestId}::uuid ORDER BY first_id DESC LIMIT 1
    ) AS nearest WHERE last_id >= ${requestId}::uuid`);
  if (block === undefined) return [];
  return unpackRequests(block.content).find(({ head }) => head.request_id === requestId)?.events ?? [];
}

const blocksAtOnce = 20;
export const leastUuid = '00000000-0000-0000-0000-000000000000';

/** The events of a month, by request and rank; of the requests after `after`, up to `until`. */
export async function* eventsOfBlocks(
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
