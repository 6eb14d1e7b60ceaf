/** Many accounts, each with a payment and charges, in both stores, as after years of traffic. */
import { shardOfAccount } from '../../../../shared/wallet/shard.ts';
import type { Harness } from '../../../harness.ts';

const creditedNano = 10_000_000_000;
const costNano = 1_000;

/** Inserted without the ledger's triggers, which would check every line. */
export async function makeManyAccounts(
  { database, redis }: Harness,
  { accounts, chargesEach }: { accounts: number; chargesEach: number },
): Promise<number[]> {
  const spentNano = costNano * chargesEach;
  const ids = await database.sql.begin(async (sql) => {
    await sql`SET LOCAL session_replication_role = replica`;
    await sql`SET LOCAL statement_timeout = '10min'`;
    const rows = await sql<{ id: string }[]>`
      INSERT INTO accounts (balance_nano, credited_nano, spent_nano, credit_seq)
      SELECT ${creditedNano - spentNano}::bigint, ${creditedNano}::bigint, ${spentNano}::bigint, 1 FROM generate_series(1, ${accounts}::int)
      RETURNING id`;
    await sql`
      WITH paid AS (INSERT INTO journals (type, reason) VALUES ('payment', 'test') RETURNING id)
      INSERT INTO ledger_lines (journal_id, type, book, account_id, amount_nano, description)
      SELECT paid.id, 'payment', 'wallet', accounts.id, ${creditedNano}::bigint, 'test' FROM paid, accounts
      UNION ALL
      SELECT paid.id, 'payment', 'cash', NULL, ${-creditedNano}::bigint * ${accounts}::bigint, 'test' FROM paid`;
    await sql`
      WITH made AS (
        INSERT INTO usage_events
        SELECT uuidv7(), 2, accounts.id, ${costNano}::bigint, 0, 1, 'test/chat', '', 1, 1, 0, 1, 0, false, 1, number,
          ${costNano}::bigint * number, now(), now()
        FROM accounts, generate_series(1, ${chargesEach}::int) AS number RETURNING request_id, account_id
      ), heads AS (
        INSERT INTO usage_requests SELECT request_id, account_id, 2, ${costNano}::bigint FROM made
      ), used AS (
        INSERT INTO journals (type, reason) SELECT 'usage', 'inference' FROM accounts RETURNING id
      ), numbered AS (SELECT id, row_number() OVER () AS number FROM used),
      ordered AS (SELECT id, row_number() OVER () AS number FROM accounts)
      INSERT INTO ledger_lines (journal_id, type, book, account_id, amount_nano, description, request_id, model)
      SELECT numbered.id, 'usage', 'wallet', account_id, ${-costNano}::bigint, 'test', request_id, 'test/chat'
      FROM made JOIN ordered ON ordered.id = account_id JOIN numbered USING (number)
      UNION ALL
      SELECT id, 'usage', 'revenue', NULL, ${spentNano}::bigint, 'inference', NULL, NULL FROM numbered`;
    return rows.map((row) => Number(row.id));
  });
  await database.sql`ANALYZE`;
  const wallet = { available: creditedNano - spentNano, held: 0, spent: spentNano, credited: creditedNano };
  for (let start = 0; start < ids.length; start += 1_000) {
    const writing = ids.slice(start, start + 1_000).map((id) => {
      const key = `{s${shardOfAccount(id)}}:wallet:${id}`;
      return redis.hset(key, { ...wallet, creditSeq: 1, seq: chargesEach, version: 0 });
    });
    await Promise.all(writing);
  }
  return ids;
}
