/** Migrating a ledger in use: postings never wait for the migration, and no table is rewritten. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TransactionSql } from 'postgres';
import { laterIndexes } from '../../../admin/database/build-indexes.ts';
import { migrateDatabase, readSchemaState } from '../../../admin/database/migrate.ts';
import { makePartitions } from '../../../admin/database/partitions.ts';
import journal from '../../../drizzle/meta/_journal.json' with { type: 'json' };
import { guardTimeoutMs, waitFor } from '../../harness/account-view.ts';
import { type FormerDatabase, openFormerDatabase } from '../../harness/former-database.ts';

/** Less than a migration that waits for a lock would make others wait. */
const patience = '5s';

let former: FormerDatabase;
beforeEach(async () => {
  former = await openFormerDatabase('0036');
  await makePartitions(former.sql);
  await former.sql`INSERT INTO accounts DEFAULT VALUES`;
  await former.sql.begin(book);
});
afterEach(() => former.close());

/** As version 0.1.0 does. */
async function book(transaction: TransactionSql): Promise<void> {
  await transaction`SELECT set_config('lock_timeout', ${patience}, true)`;
  await transaction`
    INSERT INTO usage_events (request_id, rank, account_id, cost_nano, uncharged_nano, key_id, model, deployment, price_version,
      estimated, epoch, started_at, charged_at)
    VALUES (${Bun.randomUUIDv7()}, 2, 1, 0, 0, 1, 'm', 'd', 1, false, 1, now(), now())`;
}

/** Begins a transaction that ends when the function that it resolves with is called. */
async function hold(
  work: (transaction: TransactionSql) => Promise<unknown>,
  isolation = 'read committed',
): Promise<() => Promise<void>> {
  const [begun, ending] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const done = former.sql.begin(`isolation level ${isolation}`, async (transaction) => {
    await work(transaction);
    begun.resolve();
    await ending.promise;
  });
  await Promise.race([begun.promise, done]);
  return async () => {
    ending.resolve();
    await done;
  };
}

const waits = async (statement: string) =>
  (
    await former.sql`
      SELECT FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock' AND query ILIKE ${`%${statement}%`}
        AND pid <> pg_backend_pid()`
  ).length > 0;

const filesOf = async () =>
  (
    await former.sql<{ file: string }[]>`
      SELECT pg_relation_filenode(inhrelid)::text AS file FROM pg_inherits
      WHERE inhparent IN ('usage_events'::regclass, 'ledger_lines'::regclass, 'usage_requests'::regclass) ORDER BY 1`
  ).map(({ file }) => file);

test('charges are booked while an index waits for a snapshot, and while a reader locks a table', async () => {
  const files = await filesOf();
  const endSnapshot = await hold((transaction) => transaction`SELECT count(*) FROM accounts`, 'repeatable read');
  const migrated = migrateDatabase(former.url);
  await waitFor('the build of the index to wait', guardTimeoutMs, () => waits('CREATE INDEX CONCURRENTLY'));
  await former.sql.begin(book);
  // A SELECT would have a snapshot too.
  const endReading = await hold((transaction) => transaction`LOCK TABLE usage_events IN ACCESS SHARE MODE`);
  await endSnapshot();
  await waitFor('the migration to wait', guardTimeoutMs, () => waits('ALTER TABLE'));
  for (let posting = 0; posting < 3; posting += 1) await former.sql.begin(book);
  await endReading();
  await migrated;
  expect((await readSchemaState(former.sql)).missing).toEqual([]);
  expect(await filesOf()).toEqual(files);
  const indexes = await former.sql<{ name: string; valid: boolean; attached: boolean }[]>`
    SELECT indexrelid::regclass::text AS name, indisvalid AS valid,
      EXISTS (SELECT FROM pg_inherits WHERE inhrelid = indexrelid) AS attached
    FROM pg_index
    WHERE indrelid = 'usage_events'::regclass
      OR indrelid IN (SELECT inhrelid FROM pg_inherits WHERE inhparent = 'usage_events'::regclass)`;
  const parents = ['usage_events_request_id_rank_pk', ...laterIndexes.map(({ name }) => name)];
  expect(indexes.length).toBeGreaterThan(3 * parents.length);
  expect(indexes.filter(({ valid }) => !valid)).toEqual([]);
  expect(indexes.flatMap(({ name, attached }) => (attached ? [] : [name])).sort()).toEqual(parents.sort());
});

test('an index whose build was interrupted is built again', async () => {
  const [partition] = await former.sql<{ name: string }[]>`
    SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'usage_events'::regclass ORDER BY 1`;
  const name = `${partition?.name}_journal_id_idx`;
  await former.sql`ALTER TABLE usage_events ADD COLUMN journal_id bigint`;
  await former.sql`
    CREATE INDEX ${former.sql(name)} ON ${former.sql(partition?.name ?? '')} (journal_id) WHERE journal_id IS NOT NULL`;
  // As CREATE INDEX CONCURRENTLY leaves it.
  await former.sql`UPDATE pg_index SET indisvalid = false WHERE indexrelid = to_regclass(${name})`;
  await migrateDatabase(former.url);
  const [index] = await former.sql`SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = to_regclass(${name})`;
  expect(index?.valid).toBe(true);
});

describe('migrations since version 0.1.0', () => {
  const grown = [
    'accounts',
    'journals',
    'ledger_lines',
    'usage_events',
    'usage_requests',
    'usage_totals',
    'outbox',
    'mails',
  ];
  const onGrown = new RegExp(`\\b(?:ON|TABLE)\\s+(?:ONLY\\s+)?"?(?:${grown.join('|')})"?[\\s(]`, 'i');
  const statements = journal.entries
    .filter(({ tag }) => tag >= '0036')
    .flatMap(({ tag }) =>
      readFileSync(join(import.meta.dir, `../../../drizzle/${tag}.sql`), 'utf8')
        .split('--> statement-breakpoint')
        .map((text) => ({ tag, text: text.replaceAll(/^--.*$/gm, '').trim() })),
    )
    .filter(({ text }) => onGrown.test(text));

  test('build no index on a table that grows, except those that are built before', () => {
    const built = statements.flatMap(({ text }) => /^CREATE (?:UNIQUE )?INDEX "?(\w+)"?/i.exec(text)?.[1] ?? []);
    expect(built).toEqual(laterIndexes.map(({ name }) => name));
  });

  test('neither rewrite nor read such a table', () => {
    const slow =
      /ALTER COLUMN "?\w+"? (?:SET DATA )?TYPE|SET NOT NULL|DEFAULT (?!false|true|'|\d|null)|VALIDATE CONSTRAINT/i;
    const validates = ({ text }: { text: string }) => /ADD CONSTRAINT/i.test(text) && !/NOT VALID/i.test(text);
    expect(statements.filter(({ text }) => slow.test(text)).map(({ text }) => text)).toEqual([]);
    expect(statements.filter(validates).map(({ text }) => text)).toEqual([]);
    expect(statements.length).toBeGreaterThan(4);
  });
});
