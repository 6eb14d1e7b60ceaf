/**
 * What is monitored: two proxies and two admins, Redis and Postgres that can be stopped, a mail server, and a scripted
 * provider. The second proxy reaches Redis through a link of its own, which can be cut.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { applyCatalogue } from '../../../../admin/catalogue/apply-catalogue.ts';
import { readCatalogueFile } from '../../../../admin/catalogue/read-catalogue-file.ts';
import { connectDatabase, type Database } from '../../../../admin/database/connect.ts';
import { migrateDatabase } from '../../../../admin/database/migrate.ts';
import { WalletKeeper } from '../../../../shared/wallet/wallet-keeper.ts';
import { type ChaosServer, chaosPostgres, chaosRedis } from '../../../chaos/world/servers.ts';
import { type Customer, createCustomer } from '../../../harness/customers.ts';
import { type ScriptedProvider, startScriptedProvider } from '../../../harness/providers/scripted-provider.ts';
import { testCatalogue } from '../../../harness/providers/test-catalogue.ts';
import { type FaultProxy, startFaultProxy } from '../../../harness/redis/fault-proxy.ts';
import { filesSecret } from '../../../harness/storage/stores.ts';
import { type SwitchableMail, startSwitchableMail } from './mail.ts';
import { type Slot, startSlot } from './slot.ts';

const customersCount = 10;

export interface Product {
  readonly directory: string;
  readonly postgres: ChaosServer;
  readonly redisServer: ChaosServer;
  /** Between the second proxy and Redis. */
  readonly link: FaultProxy;
  readonly mail: SwitchableMail;
  readonly provider: ScriptedProvider;
  readonly proxies: readonly [Slot, Slot];
  readonly admins: readonly [Slot, Slot];
  readonly customers: readonly Customer[];
  readonly metricsToken: string;
  readonly database: Database;
  readonly redis: Redis;
  openAccount(): Promise<Customer>;
  stop(): Promise<void>;
}

/** Of the proxies' files, in the product's folder. */
export const filesFolder = (directory: string) => join(directory, 'files');

/** Leaves nothing behind if it fails. */
export async function startProduct(): Promise<Product> {
  const directory = await mkdtemp(join(tmpdir(), 'gateway-alerts-'));
  const endings: (() => Promise<unknown>)[] = [() => rm(directory, { recursive: true, force: true })];
  const stop = async () => {
    for (const end of endings.toReversed()) await end();
  };
  try {
    return { ...(await startParts(directory, endings)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** `endings` are called from the last to the first. */
async function startParts(directory: string, endings: (() => Promise<unknown>)[]): Promise<Omit<Product, 'stop'>> {
  const [postgres, redisServer] = [chaosPostgres(directory), chaosRedis(directory)];
  endings.push(async () => {
    redisServer.thaw();
    await Promise.all([redisServer.stop(), postgres.stop()]);
  });
  await Promise.all([postgres.start(), redisServer.start()]);
  await migrateDatabase(postgres.url);
  const link = await startFaultProxy(Number(new URL(redisServer.url).port));
  const [mail, provider] = [await startSwitchableMail(), startScriptedProvider()];
  endings.push(() => Promise.all([link.stop(), mail.stop(), provider.stop()]));
  const database = connectDatabase(postgres.url, { connections: 4 });
  const redis = new Redis(redisServer.url, { maxRetriesPerRequest: null, retryStrategy: () => 50 });
  redis.on('error', () => {});
  endings.push(async () => {
    redis.disconnect();
    await database.close();
  });

  const reading = readCatalogueFile(testCatalogue(provider.baseUrl));
  if (!reading.ok) throw new Error(reading.problems.join('\n'));
  await applyCatalogue(database, reading.file);
  const [metricsToken, keyPepper] = [crypto.randomUUID(), crypto.randomUUID()];
  const environment = {
    ...{ DATABASE_URL: postgres.url, REDIS_URL: redisServer.url, DATA_DIR: directory },
    ...{ KEY_PEPPER: keyPepper, JWT_SECRET: crypto.randomUUID(), METRICS_TOKEN: metricsToken },
    ...{ SMTP_URL: mail.url, MAIL_FROM: 'Gateway <gateway@test.example>' },
    ...{ FILES_DIR: filesFolder(directory), FILES_SECRET: filesSecret },
    ...{ RATE_LIMIT_REQUESTS_PER_MINUTE: '0', RATE_LIMIT_TOKENS_PER_MINUTE: '0' },
  };
  const start = async (name: 'proxy' | 'admin', changes: Readonly<Record<string, string>> = {}) => {
    const slot = await startSlot(name, directory, { ...environment, ...changes });
    endings.push(() => slot.stop());
    return slot;
  };
  const admins = [await start('admin'), await start('admin')] as const;
  const secondRedis = `redis://127.0.0.1:${link.port}`;
  const proxies = [await start('proxy'), await start('proxy', { REDIS_URL: secondRedis })] as const;
  const services = { database, keeper: new WalletKeeper(redis), keyPepper };
  const openAccount = () => createCustomer(services, { usd: '50' });
  const customers = await Promise.all(Array.from({ length: customersCount }, openAccount));
  return {
    ...{ directory, postgres, redisServer, link, mail, provider, proxies, admins, customers, metricsToken },
    ...{ database, redis, openAccount },
  };
}
