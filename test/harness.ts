/**
 * The base of a test file: its own Postgres database, its own redis-server, and the real programs on demand. Files
 * share nothing, so they run in parallel and in any order.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { applyCatalogue } from '../admin/catalogue/apply-catalogue.ts';
import { readCatalogueFile } from '../admin/catalogue/read-catalogue-file.ts';
import { connectDatabase, type Database } from '../admin/database/connect.ts';
import { parseRedisAddress } from '../shared/redis/address.ts';
import { connectRedis, type RedisClient, whenReady } from '../shared/redis/connect.ts';
import { WalletKeeper } from '../shared/wallet/wallet-keeper.ts';
import { type Customer, createCustomer, createExpiredKey, credit, openWallet } from './harness/customers.ts';
import { createTestDatabase, type TestDatabase } from './harness/postgres.ts';
import {
  type Opened,
  type OpenProxy,
  openAdmin,
  openProxy,
  type Program,
  type Served,
  startProgram,
} from './harness/programs.ts';
import { redisPatienceMs } from './harness/redis/patience.ts';
import { startRedisTopology } from './harness/redis/start-topology.ts';
import type { RedisTopology, TopologyKind } from './harness/redis/topology.ts';

const redisReadyTimeoutMs = 60_000;

export interface Harness {
  readonly databaseUrl: string;
  readonly redisUrl: string;
  readonly topology: RedisTopology;
  readonly database: Database;
  readonly redis: RedisClient;
  readonly keeper: WalletKeeper;
  readonly keyPepper: string;
  readonly jwtSecret: string;
  /** A folder for this file only. */
  readonly directory: string;
  /** Where Redis stores its data. */
  readonly redisDirectory: string;
  startProxy(environment?: Readonly<Record<string, string>>, source?: string): Promise<Program>;
  /** `source` is the folder of another release. */
  startAdmin(environment?: Readonly<Record<string, string>>, source?: string): Promise<Program>;
  /** In this process: for tests that are not about the program. */
  openProxy(environment?: Readonly<Record<string, string>>, options?: { idleSeconds?: number }): Promise<OpenProxy>;
  openAdmin(environment?: Readonly<Record<string, string>>): Promise<Opened>;
  /** Admin publishes it within a second; a proxy started afterwards has it at once. */
  applyCatalogue(yaml: string, listedKeys?: ReadonlySet<string>): Promise<void>;
  createCustomer(options: { usd: string; email?: string; role?: 'customer' | 'operator' }): Promise<Customer>;
  credit(accountId: number, usd: string): Promise<void>;
  /** For a customer with `usd` of "0": their first request does not wait for admin. */
  openWallet(accountId: number): Promise<void>;
  /** A proxy key whose `expires_at` has passed. */
  createExpiredKey(accountId: number): Promise<string>;
  /** Stops a standalone Redis, does something, and starts it again on the same port with its data. */
  restartRedis(whileAway: () => Promise<void>): Promise<void>;
  /** Stops every program started here, and removes everything. */
  stop(): Promise<void>;
}

interface HarnessOptions {
  readonly topology?: TopologyKind;
  /** A dedicated Postgres instead of the one that all test files share: for tests that stop it. */
  readonly testDatabase?: TestDatabase;
}

export async function startHarness(options: HarnessOptions = {}): Promise<Harness> {
  const directory = await mkdtemp(join(tmpdir(), 'gateway-test-'));
  const redisDirectory = join(directory, 'redis');
  const [testDatabase, topology] = await Promise.all([
    options.testDatabase ?? createTestDatabase(),
    startRedisTopology(options.topology ?? 'standalone', { directory: redisDirectory }),
  ]);
  const database = connectDatabase(testDatabase.url, { connections: 4 });
  const redis = connectRedis(parseRedisAddress(topology.url), () => {}, redisPatienceMs);
  await whenReady(redis, redisReadyTimeoutMs);
  const keeper = new WalletKeeper(redis);
  const keyPepper = crypto.randomUUID();
  const jwtSecret = crypto.randomUUID();
  const services = { database, keeper, keyPepper };
  const programs: Served[] = [];
  const own = {
    DATABASE_URL: testDatabase.url,
    REDIS_URL: topology.url,
    KEY_PEPPER: keyPepper,
    JWT_SECRET: jwtSecret,
    DATA_DIR: directory,
  };

  const start = async (
    name: 'proxy' | 'admin',
    environment: Readonly<Record<string, string>> = {},
    source?: string,
  ) => {
    const program = await startProgram({ name, directory, source, environment: { ...own, ...environment } });
    programs.push(program);
    return program;
  };

  return {
    databaseUrl: testDatabase.url,
    redisUrl: topology.url,
    topology,
    database,
    redis,
    keeper,
    keyPepper,
    jwtSecret,
    directory,
    redisDirectory,
    startProxy: (environment, source) => start('proxy', environment, source),
    startAdmin: (environment, source) => start('admin', environment, source),
    openProxy: async (environment, proxyOptions) => {
      const proxy = await openProxy({ ...own, ...environment }, proxyOptions);
      programs.push(proxy);
      return proxy;
    },
    openAdmin: async (environment) => {
      const admin = await openAdmin({ ...own, ...environment });
      programs.push(admin);
      return admin;
    },
    applyCatalogue: async (yaml, listedKeys) => {
      const reading = readCatalogueFile(yaml, listedKeys);
      if (!reading.ok) throw new Error(reading.problems.join('\n'));
      await applyCatalogue(database, reading.file);
    },
    createCustomer: (options) => createCustomer(services, options),
    credit: (accountId, usd) => credit(services, accountId, usd),
    openWallet: (accountId) => openWallet(services, accountId),
    createExpiredKey: (accountId) => createExpiredKey(services, accountId),
    restartRedis: async (whileAway) => {
      await topology.restart(whileAway);
      await whenReady(redis, redisReadyTimeoutMs);
    },
    stop: async () => {
      await Promise.all(programs.map((program) => program.stop()));
      redis.disconnect();
      await database.close();
      await Promise.all([topology.stop(), testDatabase.drop()]);
      await rm(directory, { recursive: true, force: true });
    },
  };
}
