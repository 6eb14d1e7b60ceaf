/** What `gateway archive` did before there were files: blocks in Postgres, and the lines of compact charges in the ledger. */
import type { Sql } from 'postgres';
import type { LedgerMonth } from '../../../../admin/ledger/months.ts';

const requestsInBlock = 40;

/** The month is sealed. */
export async function archiveInBlocks(sql: Sql, { month, fromId, untilId, events, heads }: LedgerMonth): Promise<void> {
  const requests = await sql<{ request_id: string; account_id: string; rank: number; charged_nano: string }[]>`
    SELECT request_id, account_id, rank, charged_nano FROM charged_requests
    WHERE request_id >= ${fromId} AND request_id < ${untilId} ORDER BY request_id`;
  const rows = await sql<{ request_id: string }[]>`SELECT * FROM ${sql(events)} ORDER BY request_id, rank`;
  const ofRequest = Map.groupBy(rows, ({ request_id }) => request_id);
  await sql.begin(async (transaction) => {
    await transaction`
      INSERT INTO archived_months (month, from_id, until_id, requests, events, charged_nano, sha256, finished_at)
      VALUES (${month}, ${fromId}, ${untilId}, ${requests.length}, ${rows.length}, 0, 'of a file', now())`;
    for (let first = 0; first < requests.length; first += requestsInBlock) {
      const block = requests.slice(first, first + requestsInBlock);
      const text = block
        .map((head) => `${JSON.stringify({ head, events: ofRequest.get(head.request_id) ?? [] })}\n`)
        .join('');
      await transaction`
        INSERT INTO archived_usage (first_id, last_id, month, requests, events, charged_nano, content)
        VALUES (${block[0]?.request_id ?? ''}, ${block.at(-1)?.request_id ?? ''}, ${month}, ${block.length}, 0, 0,
          ${Buffer.from(Bun.gzipSync(Buffer.from(text)))})`;
    }
    // The lines are of earlier journals, and of a month that is sealed.
    await transaction`SET LOCAL session_replication_role = replica`;
    await transaction`
      INSERT INTO ledger_lines (id, journal_id, book, account_id, amount_nano, type, description, request_id, model,
        is_archived_charge, created_at)
      OVERRIDING SYSTEM VALUE
      SELECT id, journal_id, book, account_id, amount_nano, type, description, request_id, model, true, created_at
      FROM compact_lines WHERE request_id >= ${fromId} AND request_id < ${untilId}`;
    for (const name of [events, heads]) await transaction`DROP TABLE ${transaction(name)}`;
  });
}
