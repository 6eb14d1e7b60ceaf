/** Wallets on a real Redis, without the programs around them. */
import { expect } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startRedis } from '../../../local/servers/redis.ts';
import { perRateLimit, rateWindows } from '../../../shared/limits/rate-limits.ts';
import { recordOf } from '../../../shared/members.ts';
import { nanoUsd, picoUsdPerToken } from '../../../shared/money.ts';
import { parseRedisAddress } from '../../../shared/redis/address.ts';
import { connectRedis, type RedisClient, whenReady } from '../../../shared/redis/connect.ts';
import { type KeyLimits, noKeyLimits, type RateStatuses } from '../../../shared/wallet/key-limits.ts';
import { type Shard, shardOfAccount } from '../../../shared/wallet/shard.ts';
import { fieldsOf } from '../../../shared/wallet/usage-stream/usage-entry.ts';
import { UsageStream } from '../../../shared/wallet/usage-stream/usage-stream.ts';
import { type HeldRequest, type ReserveRequest, Wallet } from '../../../shared/wallet/wallet.ts';
import { type LedgerState, WalletKeeper } from '../../../shared/wallet/wallet-keeper.ts';
import { readIdentity } from './shard-state.ts';

const firstEpoch = 1;

/** No limits at all. */
export const noRateLimits = perRateLimit(() => 0);
/** What a reply says of them. */
export const noRates: RateStatuses = recordOf(rateWindows, ({ inScripts }) => [inScripts, undefined]);

export interface TestAccount {
  readonly accountId: number;
  readonly shard: Shard;
  readonly keyHash: string;
  /** Of the Redis in which its shard was opened. */
  readonly identity: string;
}

export class WalletBench {
  readonly wallet: Wallet;
  readonly keeper: WalletKeeper;
  #nextAccount = 1;

  constructor(
    readonly redis: RedisClient,
    readonly stop: () => Promise<void>,
  ) {
    this.wallet = new Wallet(redis);
    this.keeper = new WalletKeeper(redis);
  }

  async openAccount(creditedNano: bigint, limits: Partial<KeyLimits> = {}): Promise<TestAccount> {
    const accountId = this.#nextAccount++;
    const shard = shardOfAccount(accountId);
    const keyHash = `hash-of-${accountId}`;
    const identity = await readIdentity(this.redis, shard);
    await this.keeper.writeMeta(shard, { mode: 'open', epoch: firstEpoch, identity });
    await this.keeper.publishKey({
      id: accountId,
      accountId,
      hash: keyHash,
      version: 1,
      deleted: false,
      active: true,
      addressProven: true,
      expiresAt: null,
      allowedModels: null,
      limits: { ...noKeyLimits, ...limits },
    });
    await this.hydrate(accountId, creditedNano);
    return { accountId, shard, keyHash, identity };
  }

  hydrate(accountId: number, creditedNano: bigint, spentNano = 0n, orphans: LedgerState['orphans'] = new Map()) {
    return this.keeper.hydrate({ accountId, creditedNano, spentNano, creditSeq: 1, orphans });
  }

  /** available, held and spent, which must always add up to what was credited. */
  async balances(account: TestAccount): Promise<bigint[]> {
    const key = walletKeyOf(account);
    const values = await this.redis.hmget(key, 'available', 'held', 'spent', 'credited');
    const [available = 0n, held = 0n, spent = 0n, credited = 0n] = values.map((value) => BigInt(value ?? '0'));
    expect(available + held + spent).toBe(credited);
    return [available, held, spent];
  }

  /** The account's entries in the shard's stream. */
  async entries(account: TestAccount): Promise<Readonly<Record<string, string>>[]> {
    const stream = new UsageStream(this.redis, () => {});
    const [read] = await stream.read([account.shard], 10_000);
    stream.close();
    return (read?.entries ?? []).map(fieldsOf).filter((fields) => fields.account === String(account.accountId));
  }
}

export async function startWalletBench(): Promise<WalletBench> {
  const directory = await mkdtemp(join(tmpdir(), 'gateway-wallet-'));
  const server = await startRedis({ dataDir: directory });
  const redis = connectRedis(parseRedisAddress(server.url), () => {});
  await whenReady(redis, 5_000);
  return new WalletBench(redis, async () => {
    redis.disconnect();
    await server.stop();
    await rm(directory, { recursive: true, force: true });
  });
}

export function walletKeyOf(account: TestAccount): string {
  return `{s${account.shard}}:wallet:${account.accountId}`;
}

/** Holds 100 nano-dollars, which is 100 tokens. */
export function reserveRequestOf(account: TestAccount, change: Partial<ReserveRequest> = {}): ReserveRequest {
  return {
    requestId: Bun.randomUUIDv7(),
    shard: account.shard,
    keyHash: account.keyHash,
    models: ['demo/chat'],
    amountNano: nanoUsd(100n),
    promptPartNano: nanoUsd(0n),
    outputPrice: picoUsdPerToken(1_000n),
    outputCap: 100,
    lowestCap: 0,
    identity: account.identity,
    rateDefaults: noRateLimits,
    rateTokens: 0,
    once: undefined,
    detail: '{}',
    ...change,
  };
}

export function heldBy(account: TestAccount, requestId: string): HeldRequest {
  const { accountId, shard } = account;
  return { requestId, shard, accountId, keyId: accountId, epoch: String(firstEpoch) };
}
