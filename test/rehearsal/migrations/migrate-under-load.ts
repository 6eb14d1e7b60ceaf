/**
 * Migrates the full ledger of version 0.1.0 while its charges are booked and its lines are read: how long any of them waited, and for
 * how long the migration held locks that others wait for.
 */
import type { Sql, TransactionSql } from 'postgres';
import { migrateDatabase, readSchemaState } from '../../../admin/database/migrate.ts';
import { makePartitions } from '../../../admin/database/partitions.ts';
import { openFormerDatabase } from '../../harness/former-database.ts';

export interface Options {
  readonly charges: number;
  /** How long charges are booked before the migration, and after it. */
  readonly calmMs: number;
}

export interface Migrated {
  readonly seconds: number;
  readonly postings: number;
  /** How many requests the migrated ledger says were charged. */
  readonly charged: number;
  readonly longestPostingMs: Readonly<Record<'alone' | 'beside', number>>;
  /** On a table of the ledger, in a mode that keeps others from booking. */
  readonly longestLockMs: number;
  /** Migrations that are still missing. */
  readonly missing: readonly string[];
}

/** The first one that a database of 0.1.0 lacks. */
const firstMissing = '0036';
const accounts = 1_000;
const chargesAtOnce = 50_000;
export const chargesOfPosting = 20;
const postersAtOnce = 2;
const postingPauseMs = 20;
const lookEveryMs = 20;
const monthsOfCharges = 6;

export async function migrateUnderLoad({ charges, calmMs }: Options): Promise<Migrated> {
  const former = await openFormerDatabase(firstMissing);
  const ended = new AbortController();
  try {
    await fill(former.sql, charges);
    const waits = { alone: [] as number[], beside: [] as number[] };
    let during: keyof typeof waits = 'alone';
    const posting = Array.from({ length: postersAtOnce }, () =>
      post(former.sql, ended.signal, (ms) => void waits[during].push(ms)),
    );
    const reading = read(former.sql, ended.signal);
    await Bun.sleep(calmMs);
    during = 'beside';
    const locks = watchLocks(former.sql, ended.signal);
    const startedAt = performance.now();
    await migrateDatabase(former.url);
    const seconds = (performance.now() - startedAt) / 1_000;
    await Bun.sleep(calmMs);
    ended.abort();
    await Promise.all([...posting, reading]);
    const [charged] = await former.sql`SELECT count(*) FROM charged_requests`;
    return {
      seconds,
      postings: waits.alone.length + waits.beside.length,
      charged: Number(charged?.count),
      longestPostingMs: { alone: Math.max(0, ...waits.alone), beside: Math.max(0, ...waits.beside) },
      longestLockMs: await locks,
      missing: (await readSchemaState(former.sql)).missing,
    };
  } finally {
    ended.abort();
    await former.close();
  }
}

/** Three rows a charge, evenly spread over the last months. */
async function fill(sql: Sql, charges: number): Promise<void> {
  const now = new Date();
  for (let ago = monthsOfCharges; ago >= 0; ago -= 1) {
    await makePartitions(sql, new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - ago)));
  }
  await sql`INSERT INTO accounts SELECT FROM generate_series(1, ${accounts}::int)`;
  const stepMs = (monthsOfCharges * 30 * 86_400_000) / charges;
  for (let first = 0; first < charges; first += chargesAtOnce) {
    const count = Math.min(chargesAtOnce, charges - first);
    await sql.begin(async (transaction) => {
      await transaction`
        CREATE TEMP TABLE made ON COMMIT DROP AS
        SELECT 1 + n % ${accounts}::int AS account_id, now() - (${charges}::int - n) * ${stepMs}::float8 * interval '1 ms' AS at, n
        FROM generate_series(${first}::int, ${first + count - 1}::int) AS n`;
      await transaction`ALTER TABLE made ADD COLUMN id uuid`;
      await transaction`
        UPDATE made SET id = (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || '7000a000' ||
          lpad(to_hex(n), 12, '0'))::uuid`;
      await insertCharges(transaction);
    });
  }
  await sql`ANALYZE`;
}

/** Of the temporary table `made`. */
async function insertCharges(transaction: TransactionSql): Promise<void> {
  const [journal] = await transaction`INSERT INTO journals (type, reason) VALUES ('usage', 'inference') RETURNING id`;
  await transaction`
    INSERT INTO usage_requests (request_id, account_id, rank, charged_nano) SELECT id, account_id, 2, 100 FROM made`;
  await transaction`
    INSERT INTO usage_events (request_id, rank, account_id, cost_nano, uncharged_nano, key_id, model, deployment, price_version,
      estimated, epoch, wallet_seq, wallet_spent_nano, started_at, charged_at)
    SELECT id, 2, account_id, 100, 0, account_id, 'test/chat', 'test/upstream', 1, false, 1, n, n, at, at FROM made`;
  await transaction`
    INSERT INTO ledger_lines (journal_id, type, book, account_id, amount_nano, description, request_id, model, created_at)
    SELECT ${journal?.id}::bigint, 'usage', 'wallet', account_id, -100, 'test/chat', id, 'test/chat', at FROM made
    UNION ALL SELECT ${journal?.id}::bigint, 'usage', 'revenue', NULL, 100 * count(*), 'inference', NULL, NULL, now() FROM made`;
  await transaction`
    UPDATE accounts SET balance_nano = balance_nano - cost, spent_nano = spent_nano + cost
    FROM (SELECT account_id, 100 * count(*) AS cost FROM made GROUP BY account_id ORDER BY account_id) AS sums
    WHERE accounts.id = sums.account_id`;
}

/** As version 0.1.0 books, a batch after the other; each says how long it took. */
async function post(sql: Sql, signal: AbortSignal, onPosted: (ms: number) => void): Promise<void> {
  while (!signal.aborted) {
    const startedAt = performance.now();
    await sql.begin(async (transaction) => {
      await transaction`
        CREATE TEMP TABLE made ON COMMIT DROP AS
        SELECT 1 + floor(random() * ${accounts}::int)::bigint AS account_id, now() AS at, 1 AS n, id
        FROM unnest(${Array.from({ length: chargesOfPosting }, () => Bun.randomUUIDv7())}::uuid[]) AS id`;
      await transaction`
        SELECT FROM accounts WHERE id IN (SELECT account_id FROM made) ORDER BY id FOR NO KEY UPDATE`;
      await insertCharges(transaction);
    });
    onPosted(performance.now() - startedAt);
    await Bun.sleep(postingPauseMs);
  }
}

/** As reconciling does: a migration that waits for it must not make charges wait behind it. */
async function read(sql: Sql, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await sql`SELECT account_id, sum(amount_nano) FROM ledger_lines GROUP BY account_id`;
    await Bun.sleep(postingPauseMs);
  }
}

/** The longest time for which one transaction was seen to have such a lock. */
async function watchLocks(sql: Sql, signal: AbortSignal): Promise<number> {
  const since = new Map<string, number>();
  let longestMs = 0;
  while (!signal.aborted) {
    const rows = await sql<{ holder: string }[]>`
      SELECT virtualtransaction || ' ' || relation AS holder FROM pg_locks
      WHERE granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
        AND mode IN ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')
        AND relation IN (
          SELECT inhrelid FROM pg_inherits
          WHERE inhparent IN (to_regclass('usage_events'), to_regclass('usage_requests'), to_regclass('ledger_lines'))
          UNION ALL SELECT unnest(ARRAY['usage_events', 'usage_requests', 'ledger_lines', 'accounts', 'journals']::regclass[])
        )`;
    const now = performance.now();
    const holders = new Set(rows.map(({ holder }) => holder));
    for (const holder of since.keys()) if (!holders.has(holder)) since.delete(holder);
    for (const holder of holders) {
      const seenAt = since.get(holder) ?? now;
      since.set(holder, seenAt);
      longestMs = Math.max(longestMs, now - seenAt);
    }
    await Bun.sleep(lookEveryMs);
  }
  return longestMs;
}
