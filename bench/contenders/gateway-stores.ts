/**
 * The gateway's stores, started once for all scenarios: a Postgres that waits for its disk, a Redis with its
 * append-only file, admin with all its workers, and funded customers.
 *
 * There are hundreds of customers because limits are on, with their defaults: 6,000 requests a minute for a key.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { applyCatalogue } from '../../admin/catalogue/apply-catalogue.ts';
import { readCatalogueFile } from '../../admin/catalogue/read-catalogue-file.ts';
import { connectDatabase, type Database } from '../../admin/database/connect.ts';
import { migrateDatabase } from '../../admin/database/migrate.ts';
import { waitUntil } from '../../local/processes/poll.ts';
import { startPostgres } from '../../local/servers/postgres.ts';
import { startRedis } from '../../local/servers/redis.ts';
import { parseRedisAddress } from '../../shared/redis/address.ts';
import { connectRedis, whenReady } from '../../shared/redis/connect.ts';
import { allShards } from '../../shared/wallet/shard.ts';
import { Wallet } from '../../shared/wallet/wallet.ts';
import { WalletKeeper } from '../../shared/wallet/wallet-keeper.ts';
import { type Customer, createCustomer } from '../../test/harness/customers.ts';
import { type Program, startProgram } from '../../test/harness/programs.ts';
import type { Watched } from '../measure/process-usage.ts';
import { benchCatalogue } from './catalogue.ts';

const customerCount = 400;
const customersAtOnce = 8;
const usd = '100000';
const redisReadyMs = 5_000;
const bookedTimeoutMs = 120_000;
const postgresSettings = { shared_buffers: '512MB', max_wal_size: '4GB' };

export interface GatewayStores {
  readonly database: Database;
  createCustomer(): Promise<Customer>;
  readonly adminUrl: string;
  /** One per customer. */
  readonly keys: readonly string[];
  /** For starting a proxy in other ways. */
  readonly proxyEnvironment: Readonly<Record<string, string>>;
  readonly helpers: Watched;
  startProxy(environment?: Readonly<Record<string, string>>): Promise<Program>;
  /** Resolves when every charge is in the ledger. */
  booked(): Promise<void>;
  stop(): Promise<void>;
}

export async function startGatewayStores(upstreamPort: number): Promise<GatewayStores> {
  const started = new AsyncDisposableStack();
  try {
    return await start(upstreamPort, started);
  } catch (error) {
    await started.disposeAsync();
    throw error;
  }
}

async function start(upstreamPort: number, started: AsyncDisposableStack): Promise<GatewayStores> {
  const directory = await mkdtemp(join(tmpdir(), 'gateway-bench-'));
  started.defer(() => rm(directory, { recursive: true, force: true }));
  const postgres = await startPostgres({ dataDir: join(directory, 'postgres'), settings: postgresSettings });
  started.defer(() => postgres.stop());
  const redisServer = await startRedis({ dataDir: join(directory, 'redis'), appendOnly: true });
  started.defer(() => redisServer.stop());
  await migrateDatabase(postgres.url);
  const database = connectDatabase(postgres.url, { connections: customersAtOnce });
  started.defer(() => database.close());
  const redis = connectRedis(parseRedisAddress(redisServer.url), () => {});
  started.defer(() => redis.disconnect());
  await whenReady(redis, redisReadyMs);
  await apply(database, upstreamPort);
  const keyPepper = crypto.randomUUID();
  const environment = {
    DATABASE_URL: postgres.url,
    REDIS_URL: redisServer.url,
    KEY_PEPPER: keyPepper,
    JWT_SECRET: crypto.randomUUID(),
    DATA_DIR: directory,
  };
  const admin = await startProgram({ name: 'admin', directory, environment });
  started.defer(() => admin.stop());
  const services = { database, keeper: new WalletKeeper(redis), keyPepper };
  const make = () => createCustomer(services, { usd });
  return {
    database,
    adminUrl: admin.url,
    createCustomer: make,
    keys: await inParallel(async () => (await make()).proxyKey),
    proxyEnvironment: { HOST: '127.0.0.1', REDIS_URL: redisServer.url, KEY_PEPPER: keyPepper },
    helpers: { redis: [redisServer.pid], admin: [admin.pid], postgres: [postgres.pid] },
    startProxy: (own = {}) => startProgram({ name: 'proxy', directory, environment: { ...environment, ...own } }),
    booked: () => untilBooked(new Wallet(redis)),
    stop: () => started.disposeAsync(),
  };
}

async function apply(database: Database, upstreamPort: number): Promise<void> {
  const reading = readCatalogueFile(benchCatalogue(upstreamPort));
  if (!reading.ok) throw new Error(reading.problems.join('\n'));
  await applyCatalogue(database, reading.file);
}

async function untilBooked(wallet: Wallet): Promise<void> {
  const isBooked = async () => {
    const unbooked = await Promise.all(allShards.map((shard) => wallet.readFirstUnbooked(shard)));
    return unbooked.every((entry) => entry === undefined);
  };
  const done = await waitUntil(isBooked, { timeoutMs: bookedTimeoutMs, everyMs: 50 });
  if (!done) throw new Error('the ledger does not keep up: charges are still pending two minutes after the load');
}

async function inParallel(make: () => Promise<string>): Promise<string[]> {
  const made: string[] = [];
  const work = async () => {
    while (made.length < customerCount) made.push(await make());
  };
  await Promise.all(Array.from({ length: customersAtOnce }, work));
  return made.slice(0, customerCount);
}
