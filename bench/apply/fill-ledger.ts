/**
 * Fills a ledger with the charges of many months, as if they had been booked compactly then: consistent with every
 * constraint, so that what reads a large ledger can be measured. A third of all charges are of one account.
 */
import type { Sql } from 'postgres';
import { makePartitions } from '../../admin/database/partitions.ts';

export interface Fill {
  readonly charges: number;
  readonly accounts: number;
  /** Up to now. */
  readonly months: number;
}

const chargesAtOnce = 100_000;
const chargesOfJournal = 500;
const [keysOfAccount, models] = [20, 30];

/** `sql` has one connection. The accounts are numbered from 1, and have no charges yet. */
export async function fillLedger(sql: Sql, fill: Fill): Promise<void> {
  const now = new Date();
  const from = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - fill.months, 1));
  for (let ahead = 0; ahead <= fill.months; ahead += 1) {
    await makePartitions(sql, new Date(Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + ahead)));
  }
  await sql`CREATE TEMP TABLE wallets (account_id bigint PRIMARY KEY, seq bigint NOT NULL, spent bigint NOT NULL)`;
  await sql`INSERT INTO wallets SELECT generate_series(1, ${fill.accounts}::bigint), 0, 0`;
  // Nobody has looked at these days yet.
  await sql`ALTER TABLE usage_totals DISABLE TRIGGER late_totals`;
  // Charges are evenly spread, in order.
  const stepMs = (now.getTime() - from.getTime()) / fill.charges;
  for (let first = 0; first < fill.charges; first += chargesAtOnce) {
    const count = Math.min(chargesAtOnce, fill.charges - first);
    await insertCharges(sql, { first, last: first + count - 1, accounts: fill.accounts, from, stepMs });
  }
  await sql`ALTER TABLE usage_totals ENABLE TRIGGER late_totals`;
  await sql`DROP TABLE wallets`;
  await sql`VACUUM ANALYZE`;
}

interface Chunk {
  readonly first: number;
  readonly last: number;
  readonly accounts: number;
  readonly from: Date;
  readonly stepMs: number;
}

async function insertCharges(sql: Sql, { first, last, accounts, from, stepMs }: Chunk): Promise<void> {
  // Lists of values that follow from each other would take less than real ones.
  const independent = (seed: number) => sql`(hashint8extended(n, ${seed}::bigint) & 2147483647)`;
  await sql.begin(async (transaction) => {
    await transaction`
      CREATE TEMP TABLE charges ON COMMIT DROP AS
      SELECT n, account_id, account_id * ${keysOfAccount}::int + n % ${keysOfAccount}::int AS key_id,
        'provider/model-' || n % ${models}::int AS model, 10 + ${independent(1)} % 4000 AS prompt,
        1 + ${independent(2)} % 1000 AS completion, 100 + ${independent(3)} % 900 AS cost, ${from.getTime()}::bigint + (n * ${stepMs}::float8)::bigint AS at_ms, md5(n::text) AS random
      FROM (
        SELECT n, hash, CASE WHEN n % 3 = 0 THEN 1 ELSE 1 + hash % ${accounts}::int END AS account_id
        FROM (SELECT n, hashint8(n)::bigint & 2147483647 AS hash FROM generate_series(${first}::bigint, ${last}::bigint) AS n)
          AS numbers
      ) AS spread`;
    await transaction`
      CREATE TEMP TABLE batches ON COMMIT DROP AS
      WITH made AS (
        INSERT INTO journals (type, reason)
        SELECT 'usage', 'inference' FROM generate_series(${Math.floor(first / chargesOfJournal)}::bigint,
          ${Math.floor(last / chargesOfJournal)}::bigint) RETURNING id
      )
      SELECT id, ${Math.floor(first / chargesOfJournal)}::bigint + row_number() OVER (ORDER BY id) - 1 AS batch FROM made`;
    await transaction`
      INSERT INTO ledger_lines (journal_id, type, book, amount_nano, description, created_at)
      SELECT id, 'usage', 'revenue', sum(cost), 'inference', to_timestamp(max(at_ms) / 1000.0)
      FROM charges JOIN batches ON batch = n / ${chargesOfJournal}::int GROUP BY id ORDER BY id`;
    await transaction`
      INSERT INTO usage_events (request_id, rank, account_id, cost_nano, key_id, model, deployment, price_version,
        prompt_tokens, completion_tokens, cached_prompt_tokens, cache_write_tokens, reasoning_tokens, images, variant, epoch, wallet_seq, wallet_spent_nano, started_at,
        charged_at, booked_nano, journal_id, line_id)
      SELECT (lpad(to_hex(at_ms), 12, '0') || '7' || left(random, 3) || 'a' || right(random, 15))::uuid,
        2, account_id, cost, key_id, model, model || '@provider', 1, prompt, completion,
        NULL, NULL, NULL, NULL, NULL, 1,
        seq + row_number() OVER wallet, spent + sum(cost) OVER wallet, to_timestamp(at_ms / 1000.0),
        to_timestamp((at_ms + 900) / 1000.0), cost, id, nextval('ledger_lines_id_seq')
      FROM charges JOIN batches ON batch = n / ${chargesOfJournal}::int JOIN wallets USING (account_id)
      WINDOW wallet AS (PARTITION BY account_id ORDER BY n)
      ORDER BY n`;
    await transaction`
      INSERT INTO usage_totals AS total (account_id, bucket_15m, key_id, model, requests, prompt_tokens, completion_tokens,
        cost_nano, last_charged_at)
      SELECT account_id, to_timestamp((at_ms + 900) / 900000 * 900), key_id, model, count(*), sum(prompt), sum(completion),
        sum(cost), max(to_timestamp((at_ms + 900) / 1000.0))
      FROM charges GROUP BY 1, 2, 3, 4
      ON CONFLICT (account_id, bucket_15m, key_id, model) DO UPDATE SET requests = total.requests + excluded.requests,
        prompt_tokens = total.prompt_tokens + excluded.prompt_tokens,
        completion_tokens = total.completion_tokens + excluded.completion_tokens,
        cost_nano = total.cost_nano + excluded.cost_nano, last_charged_at = excluded.last_charged_at`;
    await transaction`
      WITH sums AS (SELECT account_id, count(*) AS count, sum(cost) AS cost FROM charges GROUP BY account_id), counted AS (
        UPDATE wallets SET seq = seq + count, spent = spent + cost FROM sums WHERE sums.account_id = wallets.account_id
      )
      UPDATE accounts SET balance_nano = balance_nano - cost, spent_nano = spent_nano + cost
      FROM sums WHERE sums.account_id = accounts.id`;
  });
}
