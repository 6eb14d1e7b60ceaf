/**
 * Moves the usage of a sealed month out of its partitions: copies them in compressed blocks, compares the copy with
 * the partitions and with the ledger, writes it to a file, and only then drops the partitions. The lines of compact charges
 * stay in the ledger. A run that was killed at any point is continued by the next one.
 *
 * Invariant: a request is in its partition or in a verified archive, and its receipt can be read throughout.
 */
import { join } from 'node:path';
import type { Sql, TransactionSql } from 'postgres';
import { withShortLock } from '../../database/short-lock.ts';
import type { LedgerMonth } from '../months.ts';
import { type ArchivedRequest, type ArchiveSums, packRequests, type StoredRow } from './archived-requests.ts';
import { writeArchiveFile } from './write-archive-file.ts';

export interface ArchivedMonth {
  /** Its first day. */
  readonly month: string;
  readonly requests: number;
  readonly chargedNano: bigint;
  readonly file: string;
  readonly sha256: string;
}

/** What people see of the steps; tests end the run there. */
type OnStep = (step: 'block' | 'copied' | 'written' | 'dropped') => void;

interface Work {
  readonly sql: Sql;
  readonly directory: string;
  readonly onStep?: OnStep;
}

const requestsAtOnce = 1_000;

export async function archiveMonth(
  { sql, directory, onStep = () => {} }: Work,
  month: LedgerMonth,
): Promise<ArchivedMonth> {
  await sql`
    INSERT INTO archived_months (month, from_id, until_id) VALUES (${month.month}, ${month.fromId}, ${month.untilId})
    ON CONFLICT DO NOTHING`;
  await copyBlocks(sql, month, onStep);
  onStep('copied');
  const sums = await verify(sql, month);
  const file = join(directory, `usage-${month.month.slice(0, 7)}.jsonl.gz`);
  const sha256 = await writeArchiveFile(sql, { month: month.month, file, expected: sums });
  onStep('written');
  await sql.begin(async (transaction) => {
    // Once, however long the lock has to be waited for.
    await transaction`SELECT keep_compact_lines(${month.events})`;
    await withShortLock(transaction, (inside) => dropPartitions(inside, month, { ...sums, sha256 }));
  });
  onStep('dropped');
  const { requests, chargedNano } = sums;
  return { month: month.month, requests, chargedNano, file, sha256 };
}

async function copyBlocks(sql: Sql, month: LedgerMonth, onStep: OnStep): Promise<void> {
  for (;;) {
    const [last] = await sql<{ id: string | null }[]>`
      SELECT last_id AS id FROM archived_usage WHERE month = ${month.month} ORDER BY first_id DESC LIMIT 1`;
    const after = last?.id ?? null;
    const heads = await sql<StoredRow[]>`
      SELECT request_id, account_id, rank, charged_nano FROM charged_requests
      WHERE request_id >= ${after ?? month.fromId}::uuid AND request_id IS DISTINCT FROM ${after}::uuid
        AND request_id < ${month.untilId}::uuid
      ORDER BY request_id LIMIT ${requestsAtOnce}`;
    if (heads.length === 0) return;
    await insertBlock(sql, month, heads);
    onStep('block');
  }
}

async function insertBlock(sql: Sql, month: LedgerMonth, heads: readonly StoredRow[]): Promise<void> {
  const ids = heads.map(({ request_id }) => String(request_id));
  const [firstId = '', lastId = ''] = [ids[0], ids.at(-1)];
  const events = await sql<StoredRow[]>`
    SELECT * FROM ${sql(month.events)} WHERE request_id BETWEEN ${firstId} AND ${lastId} ORDER BY request_id, rank`;
  const ofRequest = Map.groupBy(events, ({ request_id }) => request_id);
  const requests = heads.map((head): ArchivedRequest => ({ head, events: ofRequest.get(head.request_id) ?? [] }));
  const chargedNano = heads.reduce((sum, { charged_nano }) => sum + BigInt(String(charged_nano)), 0n);
  await sql`
    INSERT INTO archived_usage (first_id, last_id, month, requests, events, charged_nano, content)
    VALUES (${firstId}, ${lastId}, ${month.month}, ${heads.length}, ${events.length}, ${String(chargedNano)},
      ${packRequests(requests)})`;
}

/** Throws if the copy differs from the partitions, or the partitions from the ledger: then nothing is dropped. */
async function verify(sql: Sql, { month, fromId, untilId, events }: LedgerMonth): Promise<ArchiveSums> {
  const [row] = await sql<Record<'copied' | 'kept' | 'booked', string>[]>`
    SELECT
      (SELECT concat_ws(' ', coalesce(sum(requests), 0), coalesce(sum(events), 0), coalesce(sum(charged_nano), 0))
        FROM archived_usage WHERE month = ${month}) AS copied,
      (SELECT concat_ws(' ', count(*), (SELECT count(*) FROM ${sql(events)}), coalesce(sum(charged_nano), 0))
        FROM charged_requests WHERE request_id >= ${fromId} AND request_id < ${untilId}) AS kept,
      (SELECT coalesce(-sum(amount_nano), 0)::text FROM journal_lines
        WHERE book = 'wallet' AND type = 'usage' AND request_id >= ${fromId} AND request_id < ${untilId}) AS booked`;
  const [requests, count, charged = ''] = row?.copied.split(' ') ?? [];
  if (row === undefined || row.copied !== row.kept) {
    throw new Error(`the archive of ${month} has ${row?.copied}, its partitions have ${row?.kept}`);
  }
  if (charged !== row.booked) throw new Error(`the requests of ${month} cost ${charged}, their lines ${row.booked}`);
  return { requests: Number(requests), events: Number(count), chargedNano: BigInt(charged) };
}

async function dropPartitions(
  transaction: TransactionSql,
  { month, heads, events }: LedgerMonth,
  { requests, events: eventCount, chargedNano, sha256 }: ArchiveSums & { readonly sha256: string },
): Promise<void> {
  await transaction`
    UPDATE archived_months SET requests = ${requests}, events = ${eventCount}, charged_nano = ${String(chargedNano)},
      sha256 = ${sha256}, finished_at = now() WHERE month = ${month}`;
  for (const [parent, name] of [
    ['usage_events', events],
    ['usage_requests', heads],
  ] as const) {
    await transaction`ALTER TABLE ${transaction(parent)} DETACH PARTITION ${transaction(name)}`;
    await transaction`DROP TABLE ${transaction(name)}`;
  }
}
