/** Wallets and a ledger that a test controls step by step: charges are made, booked and tampered with one by one. */
import { applyCharges } from '../../../../admin/ledger/charges/apply-charges.ts';
import { readUsageEntry } from '../../../../admin/ledger/charges/read-usage-entry.ts';
import { type ReconcileOptions, reconcile } from '../../../../admin/wallets/reconcile/reconcile.ts';
import type { Reconciliation } from '../../../../admin/wallets/reconcile/reconciliation.ts';
import { applyUsage } from '../../../../admin/workers/apply-usage.ts';
import { createLog } from '../../../../shared/log.ts';
import { nanoUsd } from '../../../../shared/money.ts';
import { encodeChargeDetail } from '../../../../shared/usage/charge-detail.ts';
import { allShards, type Shard, shardOfAccount } from '../../../../shared/wallet/shard.ts';
import { UsageStream } from '../../../../shared/wallet/usage-stream/usage-stream.ts';
import { type HeldRequest, Wallet } from '../../../../shared/wallet/wallet.ts';
import { WalletAuditor } from '../../../../shared/wallet/wallet-auditor.ts';
import { type Customer, type CustomerServices, createCustomer } from '../../../harness/customers.ts';
import { detailOf } from '../../../harness/wallet/charge-detail.ts';
import { expireDue, readIdentity } from '../../../harness/wallet/shard-state.ts';
import { type Harness, startHarness } from '../../../harness.ts';

const detail = encodeChargeDetail(detailOf({ priceVersion: 0 }));

const tables = [
  'accounts',
  'users',
  'journals',
  'ledger_lines',
  'usage_requests',
  'usage_events',
  'usage_totals',
  'usage_rejects',
  'outbox',
  'repairs',
];

export interface Account extends Customer {
  readonly shard: Shard;
  /** Its keys in Redis. */
  readonly walletKey: string;
  readonly usageKey: string;
  readonly holdsKey: string;
  readonly holdKey: (requestId: string) => string;
}

export class ReconcileBench {
  readonly auditor: WalletAuditor;
  readonly #wallet: Wallet;
  readonly #stream: UsageStream;

  constructor(readonly harness: Harness) {
    this.auditor = new WalletAuditor(harness.redis);
    this.#wallet = new Wallet(harness.redis);
    this.#stream = new UsageStream(harness.redis, () => {});
  }

  /** The services for reconciling and repairing. */
  get services() {
    return { sql: this.harness.database.sql, auditor: this.auditor, keeper: this.harness.keeper };
  }

  /** Empties both stores. */
  async clear(): Promise<void> {
    await this.harness.redis.flushall();
    await this.tamper(`TRUNCATE ${tables.join(', ')} RESTART IDENTITY CASCADE`);
    await this.tamper('UPDATE ledger_settings SET compact = true');
  }

  async open(usd: string): Promise<Account> {
    const services: CustomerServices = this.harness;
    const customer = await createCustomer(services, { usd });
    const shard = shardOfAccount(customer.accountId);
    const tag = `{s${shard}}`;
    const identity = await readIdentity(this.harness.redis, shard);
    await this.harness.keeper.writeMeta(shard, { mode: 'open', epoch: 1, identity });
    return {
      ...customer,
      shard,
      walletKey: `${tag}:wallet:${customer.accountId}`,
      usageKey: `${tag}:usage`,
      holdsKey: `${tag}:holds`,
      holdKey: (requestId) => `${tag}:request:${requestId}`,
    };
  }

  /** Charges the wallet; the ledger does not see it before `book`. In the current epoch, unless another is given. */
  async charge(
    account: Account,
    nano: bigint,
    { requestId = Bun.randomUUIDv7(), epoch }: { requestId?: string; epoch?: string } = {},
  ): Promise<string> {
    const held = await this.#held(account, requestId);
    const charge = { costNano: nanoUsd(nano), detail, tokens: 0 };
    await this.#wallet.settle(epoch === undefined ? held : { ...held, epoch }, charge);
    return requestId;
  }

  /** Holds money for a running request that has cost `progressNano` so far. */
  async hold(
    account: Account,
    nano: bigint,
    { progressNano = 0n, requestId = Bun.randomUUIDv7() }: { progressNano?: bigint; requestId?: string } = {},
  ): Promise<string> {
    const state = { amountNano: nanoUsd(nano), costNano: nanoUsd(progressNano), detail };
    await this.#wallet.renew(await this.#held(account, requestId), state);
    return requestId;
  }

  /** The request's proxy has not renewed its hold in time. Returns how many holds were due. */
  async expireNow(account: Account, requestId: string): Promise<number> {
    await this.harness.redis.zadd(account.holdsKey, 1, requestId);
    return expireDue(this.harness.keeper, account.shard);
  }

  /** Books everything that is waiting in Redis. */
  async book(): Promise<void> {
    const services = { ...this.harness, log: createLog({ program: 'test', level: 'silent' }) };
    while (await this.#waits()) await applyUsage(services, this.#stream, allShards);
  }

  /** Commits everything that is waiting in Redis, without notifying Redis. */
  async bookAndDie(): Promise<void> {
    for (const { entries } of await this.#stream.read(allShards, 500)) {
      const charges = entries.map(readUsageEntry).filter((read) => read.kind === 'charge');
      await applyCharges(this.harness.database.sql, charges);
    }
  }

  /** Charges and books. */
  async spend(account: Account, nano: bigint): Promise<string> {
    const requestId = await this.charge(account, nano);
    await this.book();
    return requestId;
  }

  /** The last entry of the account's stream is lost before it is booked. */
  async loseLastCharge(account: Account): Promise<void> {
    const [last] = await this.harness.redis.xrevrange(account.usageKey, '+', '-', 'COUNT', 1);
    await this.harness.redis.xdel(account.usageKey, last?.[0] ?? '');
  }

  /** Changes Postgres as only a superuser can: bypassing the triggers that guard the ledger. */
  async tamper(statement: string): Promise<void> {
    await this.harness.database.sql.begin(async (sql) => {
      await sql`SET LOCAL session_replication_role = replica`;
      await sql.unsafe(statement);
    });
  }

  reconcile(options: Partial<ReconcileOptions> = {}): Promise<Reconciliation> {
    return reconcile({ ...this.services, pauseMs: 50, ...options });
  }

  async stop(): Promise<void> {
    this.#stream.close();
    await this.harness.stop();
  }

  async #waits(): Promise<boolean> {
    const lengths = await Promise.all(allShards.map((shard) => this.auditor.waiting(shard)));
    return lengths.some((length) => length > 0);
  }

  async #held({ shard, accountId, proxyKeyId }: Account, requestId: string): Promise<HeldRequest> {
    const meta = await this.harness.keeper.readMeta(shard);
    return { requestId, shard, accountId, keyId: proxyKeyId, epoch: String(meta?.epoch ?? 0) };
  }
}

export async function startReconcileBench(): Promise<ReconcileBench> {
  return new ReconcileBench(await startHarness());
}

export const noDrift = { d1: 0n, d2: 0n, d3: 0n, d4: 0n };
