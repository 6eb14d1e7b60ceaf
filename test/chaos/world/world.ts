/**
 * Everything that chaos acts on: two proxies, two admins, a Redis with persistence, a Postgres, customers with large
 * and with small balances, with budgets, customers who top up, and providers that record the truth. All of it is real except the
 * providers.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { applyCatalogue } from '../../../admin/catalogue/apply-catalogue.ts';
import { readCatalogueFile } from '../../../admin/catalogue/read-catalogue-file.ts';
import { connectDatabase, type Database } from '../../../admin/database/connect.ts';
import { migrateDatabase } from '../../../admin/database/migrate.ts';
import { budgetLevels } from '../../../shared/limits/budget-levels.ts';
import { type Shard, shardOfAccount } from '../../../shared/wallet/shard.ts';
import { WalletKeeper } from '../../../shared/wallet/wallet-keeper.ts';
import { inCampaign } from '../../harness/campaigns.ts';
import { type Customer, createCustomer } from '../../harness/customers.ts';
import { ScriptedPaymentProvider } from '../../harness/payments/scripted-provider.ts';
import { yookassaSecret, yookassaWire } from '../../harness/payments/yookassa-wire.ts';
import { startProgram } from '../../harness/programs.ts';
import { testCatalogue } from '../../harness/providers/test-catalogue.ts';
import { startTruthfulProvider, type TruthfulProvider } from '../../harness/providers/truthful-provider.ts';
import { Sessions } from '../load/admin-call.ts';
import { busyModel } from '../load/plan.ts';
import type { Incident } from '../verification/incident.ts';
import { type BudgetedCustomer, limitByBudgets } from './budgeted.ts';
import { PastMonths } from './past-months.ts';
import { type Recovery, watchRecoveries } from './recoveries.ts';
import { Replicas } from './replicas.ts';
import { type ChaosServer, chaosPostgres, chaosRedis } from './servers.ts';

/** After each fault, all of them have to be served. */
const richCustomers = inCampaign(8, 20);
const poorCustomers = 4;
const budgetedCustomers = budgetLevels.length;
const payingCustomers = 3;

export interface World {
  readonly directory: string;
  readonly postgres: ChaosServer;
  readonly redisServer: ChaosServer;
  readonly proxies: Replicas;
  readonly admins: Replicas;
  readonly provider: TruthfulProvider;
  /** Customers who have more than they can spend. */
  readonly rich: readonly Customer[];
  /** Customers who run into their balance again and again. */
  readonly poor: readonly Customer[];
  /** Customers who run into a budget again and again: a different one each. */
  readonly budgeted: readonly BudgetedCustomer[];
  /** Customers who only pay. */
  readonly payers: readonly Customer[];
  readonly operator: Customer;
  readonly past: PastMonths;
  /** Of payers and the operator at any admin. */
  readonly sessions: Sessions;
  readonly yookassa: ScriptedPaymentProvider;
  readonly database: Database;
  /** Waits for Redis if it is down. */
  readonly redis: Redis;
  readonly keeper: WalletKeeper;
  readonly incidents: Incident[];
  readonly recoveries: readonly Recovery[];
  /** Requests whose charges Redis had, and the ledger did not, when Redis lost all its data. */
  readonly lostBeforeBooked: Set<string>;
  /** Of every program. */
  readonly environment: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

/** Leaves nothing behind if it fails. */
export async function createWorld({ proxyCount = 2, adminCount = 2 } = {}): Promise<World> {
  const directory = await mkdtemp(join(tmpdir(), 'gateway-chaos-'));
  const postgres = chaosPostgres(directory);
  const redisServer = chaosRedis(directory);
  const provider = startTruthfulProvider();
  const yookassa = await ScriptedPaymentProvider.start(yookassaWire);
  const stopServers = async () => {
    redisServer.thaw();
    await Promise.all([provider.stop(), yookassa.stop(), redisServer.stop(), postgres.stop()]);
    await rm(directory, { recursive: true, force: true });
  };
  try {
    await Promise.all([postgres.start(), redisServer.start()]);
    await migrateDatabase(postgres.url);
    const world = await populate({ directory, postgres, redisServer, provider, yookassa }, { proxyCount, adminCount });
    const stop = async () => {
      await world.stop();
      await stopServers();
    };
    return { ...world, stop };
  } catch (error) {
    await stopServers();
    throw error;
  }
}

async function populate(
  servers: Pick<World, 'directory' | 'postgres' | 'redisServer' | 'provider' | 'yookassa'>,
  { proxyCount, adminCount }: { readonly proxyCount: number; readonly adminCount: number },
): Promise<World> {
  const { directory, postgres, redisServer, provider, yookassa } = servers;
  const database = connectDatabase(postgres.url, { connections: 4 });
  const redis = new Redis(redisServer.url, { maxRetriesPerRequest: null, retryStrategy: () => 50 });
  redis.on('error', () => {});
  const keeper = new WalletKeeper(redis);
  const secrets = { KEY_PEPPER: crypto.randomUUID(), JWT_SECRET: crypto.randomUUID() };
  const environment = { DATABASE_URL: postgres.url, REDIS_URL: redisServer.url, DATA_DIR: directory, ...secrets };
  const payments = {
    USD_RUB_RATE: '90',
    YOOKASSA_SHOP_ID: yookassa.shop,
    YOOKASSA_SECRET_KEY: yookassaSecret,
    YOOKASSA_API_URL: yookassa.url,
  };
  const replicasOf = (name: 'proxy' | 'admin', more = {}) =>
    new Replicas(() => startProgram({ name, directory, environment: { ...environment, ...more } }));
  const [proxies, admins] = [replicasOf('proxy'), replicasOf('admin', payments)];
  const { recoveries, stop: stopWatching } = watchRecoveries(database);
  const stop = async () => {
    await Promise.all([proxies.stop(), admins.stop(), stopWatching()]);
    redis.disconnect();
    await database.close();
  };
  try {
    await publishCatalogue(database, provider.baseUrl);
    await Promise.all(Array.from({ length: adminCount }, () => admins.add()));
    await Promise.all(Array.from({ length: proxyCount }, () => proxies.add()));
    const services = { database, keeper, keyPepper: secrets.KEY_PEPPER };
    const createAll = (count: number, usd: string, role: 'customer' | 'operator' = 'customer') =>
      Promise.all(Array.from({ length: count }, () => createCustomer(services, { usd, role })));
    const [rich, poor] = [await createAll(richCustomers, '50'), await createAll(poorCustomers, '0.004')];
    const [payers, [operator]] = [await createAll(payingCustomers, '0'), await createAll(1, '0', 'operator')];
    const sessions = new Sessions(admins);
    const budgeted = await limitByBudgets({ admins, sessions }, await createAll(budgetedCustomers, '50'));
    if (operator === undefined) throw new Error('no operator was created');
    const past = await PastMonths.open(database);
    return {
      ...servers,
      proxies,
      admins,
      rich,
      poor,
      budgeted,
      payers,
      operator,
      past,
      sessions,
      database,
      redis,
      keeper,
      incidents: [],
      recoveries,
      lostBeforeBooked: new Set(),
      environment,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Dearer than all others, and its only deployment is always busy: for requests that name another model besides. */
const busyModelEntry = `
  - id: ${busyModel}
    kind: chat
    ownedBy: test
    contextTokens: 32768
    maxOutputTokens: 4096
    price: { prompt: "5", completion: "25" }
    deployments: [{ provider: scripted, model: upstream-first }]
`;

async function publishCatalogue(database: Database, providerUrl: string): Promise<void> {
  const catalogue = readCatalogueFile(testCatalogue(providerUrl) + busyModelEntry);
  if (!catalogue.ok) throw new Error(catalogue.problems.join('\n'));
  await applyCatalogue(database, catalogue.file);
}

export function customersOf(world: World): readonly Customer[] {
  return [...world.rich, ...world.poor, ...world.budgeted, ...world.payers];
}

/** Whether their balance or a budget may refuse a request. */
export function isLimited({ poor, budgeted }: World, { accountId }: Customer): boolean {
  return [...poor, ...budgeted].some((limited) => limited.accountId === accountId);
}

/** The shards of the customers. */
export function shardsOf(world: World): readonly Shard[] {
  return [...new Set(customersOf(world).map(({ accountId }) => shardOfAccount(accountId)))];
}
