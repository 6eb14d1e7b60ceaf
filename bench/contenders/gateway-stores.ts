/**
 * What the gateway stands on, started once for all scenarios: a Postgres that waits for its disk, a Redis with its
 * append-only file, admin with all its workers, and customers who have paid.
 *
 * There are hundreds of customers because limits are on, with their defaults: 6,000 requests a minute for a key.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { applyCatalogue } from '../../admin/catalogue/apply-catalogue.ts';
import { readCatalogueFile } from '../../admin/catalogue/read-catalogue-file.ts';
import { connectDatabase } from '../../admin/database/connect.ts';
import { migrateDatabase } from '../../admin/database/migrate.ts';
import { waitUntil } from '../../local/poll.ts';
import { startPostgres } from '../../local/servers/postgres.ts';
import { startRedis } from '../../local/servers/redis.ts';
import { parseRedisAddress } from '../../shared/redis/address.ts';
import { connectRedis, whenReady } from '../../shared/redis/connect.ts';
import { allShards } from '../../shared/shard.ts';
import { Wallet } from '../../shared/wallet/wallet.ts';
import { WalletKeeper } from '../../shared/wallet/wallet-keeper.ts';
import { createCustomer } from '../../test/harness/customers.ts';
import { type Program, startProgram } from '../../test/harness/programs.ts';
import type { Watched } from '../measure/process-usage.ts';
import { benchCatalogue } from './catalogue.ts';

const customerCount = 400;
const customersAtOnce = 8;
const usd = '100000';
const redisReadyMs = 5_000;
const bookedTimeoutMs = 120_000;

export interface GatewayStores {
  readonly databaseUrl: string;
  readonly redisUrl: string;
  readonly keyPepper: string;
  readonly keys: readonly string[];
  readonly helpers: Watched;
  startProxy(environment?: Readonly<Record<string, string>>): Promise<Program>;
  /** Resolves when every charge is in the ledger. */
  booked(): Promise<void>;
  stop(): Promise<void>;
}

export async function startGatewayStores(upstreamPort: number): Promise<GatewayStores> {
  const directory = await mkdtemp(join(tmpdir(), 'gateway-bench-'));
  const [postgres, redisServer] = await Promise.all([
    startPostgres({ dataDir: join(directory, 'postgres'), settings: { shared_buffers: '512MB', max_wal_size: '4GB' } }),
    startRedis({ dataDir: join(directory, 'redis'), appendOnly: true }),
  ]);
  await migrateDatabase(postgres.url);
  const database = connectDatabase(postgres.url, { connections: customersAtOnce });
  const redis = connectRedis(parseRedisAddress(redisServer.url), () => {});
  await whenReady(redis, redisReadyMs);
  const keyPepper = crypto.randomUUID();
  const reading = readCatalogueFile(benchCatalogue(upstreamPort));
  if (!reading.ok) throw new Error(reading.problems.join('\n'));
  await applyCatalogue(database, reading.file);
  const environment = {
    DATABASE_URL: postgres.url,
    REDIS_URL: redisServer.url,
    KEY_PEPPER: keyPepper,
    JWT_SECRET: crypto.randomUUID(),
    DATA_DIR: directory,
  };
  const start = (name: 'proxy' | 'admin', more: Readonly<Record<string, string>> = {}) =>
    startProgram({ name, directory, environment: { ...environment, ...more } });
  const admin = await start('admin');
  const services = { database, keeper: new WalletKeeper(redis), keyPepper };
  const keys = await inParallel(async () => (await createCustomer(services, { usd })).proxyKey);
  const wallet = new Wallet(redis);
  const isBooked = async () => {
    const unbooked = await Promise.all(allShards.map((shard) => wallet.readFirstUnbooked(shard)));
    return unbooked.every((entry) => entry === undefined);
  };
  return {
    databaseUrl: postgres.url,
    redisUrl: redisServer.url,
    keyPepper,
    keys,
    helpers: { redis: [redisServer.pid], admin: [admin.pid], postgres: [postgres.pid] },
    startProxy: (more) => start('proxy', more),
    booked: async () => {
      const done = await waitUntil(isBooked, { timeoutMs: bookedTimeoutMs, everyMs: 50 });
      if (!done) throw new Error('the ledger does not keep up: charges are waiting two minutes after the load');
    },
    stop: async () => {
      await admin.stop();
      redis.disconnect();
      await database.close();
      await Promise.all([redisServer.stop(), postgres.stop()]);
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function inParallel(make: () => Promise<string>): Promise<string[]> {
  const made: string[] = [];
  const work = async () => {
    while (made.length < customerCount) made.push(await make());
  };
  await Promise.all(Array.from({ length: customersAtOnce }, work));
  return made;
}
