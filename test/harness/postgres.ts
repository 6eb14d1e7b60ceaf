/**
 * One real Postgres for the whole run, and a separate database for each test file: a copy of a template that was
 * migrated once. `test/run.ts` starts the server and puts its URL into TEST_POSTGRES_URL; a file that is run alone
 * starts its own.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { numberedLocks } from '../../admin/database/advisory-locks.ts';
import { migrateDatabase } from '../../admin/database/migrate.ts';
import { startPostgres } from '../../local/servers/postgres.ts';
import { ofWorker } from './of-worker.ts';

const template = 'gateway_template';

/** The tests do not need durability. */
const fastSettings = {
  ...{ fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', shared_buffers: '64MB' },
  // Autovacuum would visit each database every minute.
  autovacuum: 'off',
};

export interface TestPostgres {
  readonly url: string;
  stop(): Promise<void>;
}

export async function startTestPostgres(): Promise<TestPostgres> {
  const dataDir = await mkdtemp(join(tmpdir(), 'gateway-test-postgres-'));
  const server = await startPostgres({ dataDir, settings: fastSettings });
  await makeLogInCheap(server.url);
  return {
    url: server.url,
    stop: async () => {
      await server.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** A run makes thousands of connections, and the usual proof of the password takes a client 2 ms of each. */
async function makeLogInCheap(url: string): Promise<void> {
  const { username, password } = new URL(url);
  const client = postgres(url, { max: 1 });
  await client.unsafe(`SET scram_iterations = 1; ALTER ROLE "${username}" PASSWORD '${password}'`);
  await client.end();
}

export interface TestDatabase {
  readonly url: string;
  drop(): Promise<void>;
}

export async function createTestDatabase(): Promise<TestDatabase> {
  const own = process.env.TEST_POSTGRES_URL === undefined ? await startTestPostgres() : undefined;
  const serverUrl = own?.url ?? process.env.TEST_POSTGRES_URL ?? '';
  const maker =
    own === undefined ? await ofWorker('databases', async () => openMaker(serverUrl)) : openMaker(serverUrl);
  const name = `gateway_${crypto.randomUUID().replaceAll('-', '')}`;
  await maker.create(name);
  return {
    url: withDatabase(serverUrl, name),
    drop: async () => {
      if (own === undefined) return maker.drop(name);
      await maker[Symbol.asyncDispose]();
      await own.stop();
    },
  };
}

interface DatabaseMaker extends AsyncDisposable {
  create(name: string): Promise<void>;
  drop(name: string): Promise<void>;
}

function openMaker(serverUrl: string): DatabaseMaker {
  const client = postgres(serverUrl, { max: 1, onnotice: () => {} });
  const ensureTemplate = async () => {
    // In the server's default database, where nothing else migrates.
    await client`SELECT pg_advisory_lock(${numberedLocks.migration.number})`;
    try {
      const found = await client`SELECT FROM pg_database WHERE datname = ${template}`;
      if (found.length > 0) return;
      await client.unsafe(`CREATE DATABASE ${template}`);
      await migrateDatabase(withDatabase(serverUrl, template));
    } finally {
      await client`SELECT pg_advisory_unlock(${numberedLocks.migration.number})`;
    }
  };
  let isTemplateThere: Promise<void> | undefined;
  return {
    create: async (name) => {
      isTemplateThere ??= ensureTemplate();
      await isTemplateThere;
      // A copy of the files takes half of the CPU of one that is written to the log.
      await client.unsafe(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY file_copy`);
    },
    drop: async (name) => {
      await client.unsafe(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    },
    [Symbol.asyncDispose]: () => client.end({ timeout: 5 }),
  };
}

function withDatabase(url: string, name: string): string {
  const changed = new URL(url);
  changed.pathname = `/${name}`;
  return changed.href;
}
