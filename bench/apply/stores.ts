/**
 * The stores of the measurement: a Redis whose streams can be delivered repeatedly, and a Postgres that waits for
 * its disk as in production, with a database of funded accounts that is copied for each run.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import postgres from 'postgres';
import { connectDatabase } from '../../admin/database/connect.ts';
import { migrateDatabase } from '../../admin/database/migrate.ts';
import { accounts } from '../../admin/database/tables/accounts.ts';
import { postCredit } from '../../admin/ledger/post-credit.ts';
import { startPostgres } from '../../local/servers/postgres.ts';
import { startRedis } from '../../local/servers/redis.ts';
import { nanoUsd } from '../../shared/money.ts';
import { WalletKeeper } from '../../shared/wallet/wallet-keeper.ts';

export const creditNano = nanoUsd(1_000_000_000_000n);
const base = 'apply_base';
const settings = {
  shared_buffers: '512MB',
  max_wal_size: '4GB',
  shared_preload_libraries: 'pg_stat_statements',
  'pg_stat_statements.track': 'all',
};

export interface Stores {
  readonly redis: Redis;
  readonly keeper: WalletKeeper;
  readonly postgresPid: number;
  /** Saves the current content of the streams. */
  keepDeliveries(): Promise<void>;
  /** Restores the saved content. */
  deliver(): Promise<void>;
  /** Accounts 1 to n, each with the same credit and no usage. */
  freshDatabase(): Promise<{ url: string; drop(): Promise<void> }>;
  stop(): Promise<void>;
}

export async function startStores(accountCount: number): Promise<Stores> {
  const directory = await mkdtemp(join(tmpdir(), 'gateway-bench-'));
  const [redisServer, postgresServer] = await Promise.all([
    startRedis({ dataDir: join(directory, 'redis'), appendOnly: true }),
    startPostgres({ dataDir: join(directory, 'postgres'), settings }),
  ]);
  const redis = new Redis(redisServer.url, { protocol: 2 });
  const operator = postgres(postgresServer.url, { max: 1, onnotice: () => {} });
  await operator.unsafe(`CREATE DATABASE ${base}`);
  await makeAccounts(urlOf(postgresServer.url, base), accountCount);
  let kept: string[] = [];
  let copies = 0;
  return {
    redis,
    keeper: new WalletKeeper(redis),
    postgresPid: postgresServer.pid,
    keepDeliveries: async () => {
      for (const stream of kept) await redis.del(keptName(stream));
      kept = await streamsOf(redis);
      for (const stream of kept) await redis.rename(stream, keptName(stream));
    },
    deliver: async () => {
      for (const stream of kept) await redis.copy(keptName(stream), stream, 'REPLACE');
    },
    freshDatabase: async () => {
      copies += 1;
      const name = `apply_${copies}`;
      await operator.unsafe(`CREATE DATABASE ${name} TEMPLATE ${base}`);
      await operator`CHECKPOINT`;
      const drop = async () => void (await operator.unsafe(`DROP DATABASE ${name} WITH (FORCE)`));
      return { url: urlOf(postgresServer.url, name), drop };
    },
    stop: async () => {
      redis.disconnect();
      await operator.end({ timeout: 5 });
      await Promise.all([redisServer.stop(), postgresServer.stop()]);
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function makeAccounts(databaseUrl: string, count: number): Promise<void> {
  await migrateDatabase(databaseUrl);
  const { db, sql, close } = connectDatabase(databaseUrl, { connections: 1 });
  await sql`CREATE EXTENSION pg_stat_statements`;
  // Version 1, at which all charges are made.
  await sql`
    INSERT INTO model_prices (model, markup, provider_prompt_pico, provider_cached_prompt_pico, provider_completion_pico,
      prompt_pico, cached_prompt_pico, completion_pico)
    VALUES ('openai/gpt-4o-mini', 1000000, 1, 1, 1, 1, 1, 1)`;
  const made = await db
    .insert(accounts)
    .values(Array.from({ length: count }, () => ({})))
    .returning();
  for (const { id } of made) {
    const idempotencyKey = `bench ${id}`;
    await postCredit(db, { accountId: id, type: 'payment', amountNano: creditNano, reason: 'bench', idempotencyKey });
  }
  await sql`VACUUM ANALYZE`;
  await close();
}

async function streamsOf(redis: Redis): Promise<string[]> {
  const names: string[] = [];
  for await (const found of redis.scanStream({ type: 'stream', count: 10_000 })) names.push(...(found as string[]));
  return names;
}

const keptName = (stream: string) => `kept:${stream}`;

function urlOf(serverUrl: string, database: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${database}`;
  return url.href;
}
