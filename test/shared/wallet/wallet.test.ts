/** The wallet scripts on a real Redis: what each one promises, in every order in which they can arrive. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startRedis } from '../../../local/servers/redis.ts';
import { nanoUsd, picoUsdPerToken } from '../../../shared/money.ts';
import { connectRedis, type RedisClient, whenReady } from '../../../shared/redis/connect.ts';
import { type Shard, shardOfAccount } from '../../../shared/shard.ts';
import { UsageStream } from '../../../shared/wallet/usage-stream.ts';
import { type HeldRequest, type ReserveOrder, Wallet } from '../../../shared/wallet/wallet.ts';
import { WalletKeeper } from '../../../shared/wallet/wallet-keeper.ts';

let directory: string;
let server: Awaited<ReturnType<typeof startRedis>>;
let redis: RedisClient;
let wallet: Wallet;
let keeper: WalletKeeper;
let nextAccount = 1;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gateway-wallet-'));
  server = await startRedis({ dataDir: directory });
  redis = connectRedis([server.url], () => {});
  await whenReady(redis, 5_000);
  wallet = new Wallet(redis);
  keeper = new WalletKeeper(redis);
});

afterAll(async () => {
  redis.disconnect();
  await server.stop();
  await rm(directory, { recursive: true, force: true });
});

interface TestAccount {
  readonly accountId: number;
  readonly shard: Shard;
  readonly keyHash: string;
}

async function openAccount(creditedNano: bigint): Promise<TestAccount> {
  const accountId = nextAccount++;
  const shard = shardOfAccount(accountId);
  const keyHash = `hash-of-${accountId}`;
  await keeper.writeMeta(shard, { mode: 'open', epoch: 1 });
  await keeper.publishKey({
    id: accountId,
    accountId,
    hash: keyHash,
    version: 1,
    deleted: false,
    active: true,
    expiresAt: null,
    allowedModels: null,
  });
  await hydrate(accountId, creditedNano);
  return { accountId, shard, keyHash };
}

function hydrate(accountId: number, creditedNano: bigint, spentNano = 0n, orphans = new Map<string, bigint>()) {
  return keeper.hydrate({ accountId, creditedNano, spentNano, creditSeq: 1, orphans, outcomes: new Map() });
}

function order(account: TestAccount, change: Partial<ReserveOrder> = {}): ReserveOrder {
  return {
    requestId: Bun.randomUUIDv7(),
    shard: account.shard,
    keyHash: account.keyHash,
    model: 'demo/chat',
    amountNano: nanoUsd(100n),
    promptPartNano: nanoUsd(0n),
    outputPrice: picoUsdPerToken(1_000n),
    outputCap: 100,
    lowestCap: 0,
    detail: '{}',
    ...change,
  };
}

function heldBy(account: TestAccount, requestId: string): HeldRequest {
  return { requestId, shard: account.shard, accountId: account.accountId, keyId: account.accountId };
}

const settle = (account: TestAccount, requestId: string, costNano: bigint) =>
  wallet.settle(heldBy(account, requestId), { costNano: nanoUsd(costNano), detail: '{}' });

/** available, held, spent, credited: the four that must always balance. */
async function balances(account: TestAccount): Promise<bigint[]> {
  const key = `{s${account.shard}}:wallet:${account.accountId}`;
  const values = await redis.hmget(key, 'available', 'held', 'spent', 'credited');
  const [available = 0n, held = 0n, spent = 0n, credited = 0n] = values.map((value) => BigInt(value ?? '0'));
  expect(available + held + spent).toBe(credited);
  return [available, held, spent];
}

async function charges(account: TestAccount) {
  const stream = new UsageStream(redis, () => {});
  const [read] = await stream.read([account.shard], 10_000);
  stream.close();
  return (read?.entries ?? [])
    .map((entry) => entry.fields)
    .filter((fields) => fields.kind === 'charge' && fields.account === String(account.accountId));
}

test('a reserve moves the amount from available to held, and a settle charges the cost and returns the rest', async () => {
  const account = await openAccount(1_000n);
  const { requestId, ...rest } = order(account);
  expect(await wallet.reserve({ requestId, ...rest })).toMatchObject({
    ok: true,
    outputCap: 100,
    accountId: account.accountId,
  });
  expect(await balances(account)).toEqual([900n, 100n, 0n]);
  await settle(account, requestId, 40n);
  expect(await balances(account)).toEqual([960n, 0n, 40n]);
  expect(await charges(account)).toMatchObject([
    { request: requestId, rank: '2', cost: '40', spent: '40', seq: '1', uncharged: '0' },
  ]);
});

test('every operation repeated changes nothing', async () => {
  const account = await openAccount(1_000n);
  const reserved = order(account);
  await wallet.reserve(reserved);
  expect(await wallet.reserve(reserved)).toMatchObject({ ok: true });
  expect(await balances(account)).toEqual([900n, 100n, 0n]);
  await settle(account, reserved.requestId, 40n);
  await settle(account, reserved.requestId, 40n);
  await wallet.release(reserved);
  expect(await balances(account)).toEqual([960n, 0n, 40n]);
  expect(await wallet.reserve(reserved)).toEqual({ ok: false, reason: 'already_done' });
  expect(await charges(account)).toHaveLength(1);
});

test('two hundred reserves at once hold exactly what is there', async () => {
  const account = await openAccount(1_000n);
  const results = await Promise.all(Array.from({ length: 200 }, () => wallet.reserve(order(account))));
  expect(results.filter((result) => result.ok)).toHaveLength(10);
  expect(results.find((result) => !result.ok)).toEqual({
    ok: false,
    reason: 'short',
    availableNano: nanoUsd(0n),
    heldNano: nanoUsd(1_000n),
  });
  expect(await balances(account)).toEqual([0n, 1_000n, 0n]);
});

test('a reserve that arrives after its release holds nothing', async () => {
  const account = await openAccount(1_000n);
  const late = order(account);
  await wallet.release(late);
  expect(await wallet.reserve(late)).toEqual({ ok: false, reason: 'already_done' });
  expect(await balances(account)).toEqual([1_000n, 0n, 0n]);
});

test('the output cap is lowered to what the balance covers, and not below the lowest useful one', async () => {
  const account = await openAccount(50n);
  const lowered = await wallet.reserve(order(account, { promptPartNano: nanoUsd(10n), lowestCap: 16 }));
  expect(lowered).toMatchObject({ ok: true, outputCap: 40 });
  expect(await balances(account)).toEqual([0n, 50n, 0n]);
  const poor = await openAccount(20n);
  expect(await wallet.reserve(order(poor, { promptPartNano: nanoUsd(10n), lowestCap: 16 }))).toMatchObject({
    ok: false,
    reason: 'short',
  });
});

test('a cost above the hold and the balance never takes the wallet below zero, and is reported as uncharged', async () => {
  const account = await openAccount(100n);
  const reserved = order(account);
  await wallet.reserve(reserved);
  await settle(account, reserved.requestId, 130n);
  expect(await balances(account)).toEqual([0n, 0n, 100n]);
  expect(await charges(account)).toMatchObject([{ cost: '100', uncharged: '30' }]);
});

test('an abandoned hold is charged its last renewal as an estimate, which a late settle replaces', async () => {
  const account = await openAccount(1_000n);
  const reserved = order(account);
  await wallet.reserve(reserved);
  const held = heldBy(account, reserved.requestId);
  await wallet.renew(held, { amountNano: nanoUsd(100n), costNano: nanoUsd(30n), detail: '{}' });
  expect(await keeper.expire(account.shard, 10)).toBe(0);
  await redis.zadd(`{s${account.shard}}:holds`, 1, reserved.requestId);
  expect(await keeper.expire(account.shard, 10)).toBe(1);
  expect(await balances(account)).toEqual([970n, 0n, 30n]);
  expect(await wallet.renew(held, { amountNano: nanoUsd(100n), costNano: nanoUsd(50n), detail: '{}' })).toEqual({
    ok: false,
    reason: 'gone',
  });
  await settle(account, reserved.requestId, 25n);
  expect(await balances(account)).toEqual([975n, 0n, 25n]);
  expect((await charges(account)).map(({ rank, cost, spent }) => [rank, cost, spent])).toEqual([
    ['1', '30', '30'],
    ['2', '25', '25'],
  ]);
});

test('a renewal makes a lost hold anew and raises one, as far as the balance goes', async () => {
  const account = await openAccount(150n);
  const reserved = order(account);
  await wallet.reserve(reserved);
  const held = heldBy(account, reserved.requestId);
  await redis.del(`{s${account.shard}}:hold:${reserved.requestId}`);
  await redis.hset(`{s${account.shard}}:wallet:${account.accountId}`, { available: '150', held: '0' });
  const renew = (amount: bigint) =>
    wallet.renew(held, { amountNano: nanoUsd(amount), costNano: nanoUsd(1n), detail: '{}' });
  expect(await renew(100n)).toMatchObject({ ok: true });
  expect(await balances(account)).toEqual([50n, 100n, 0n]);
  expect(await renew(140n)).toMatchObject({ ok: true });
  expect(await renew(151n)).toEqual({ ok: false, reason: 'short' });
  expect(await balances(account)).toEqual([10n, 140n, 0n]);
});

test('charges without a wallet wait as orphans and are taken into account when it comes', async () => {
  const account = await openAccount(1_000n);
  const wallets = `{s${account.shard}}:wallet:${account.accountId}`;
  await redis.del(wallets);
  const requestId = Bun.randomUUIDv7();
  await settle(account, requestId, 70n);
  await settle(account, requestId, 70n);
  expect(await keeper.readOrphans(account.accountId)).toEqual([requestId]);
  expect(await hydrate(account.accountId, 1_000n)).toBe('again');
  expect(await hydrate(account.accountId, 1_000n, 20n, new Map([[requestId, 20n]]))).toBe('hydrated');
  expect(await balances(account)).toEqual([930n, 0n, 70n]);
  expect(await hydrate(account.accountId, 1_000n)).toBe('exists');
});

test('a missing wallet is asked for once through the usage stream', async () => {
  const account = await openAccount(1_000n);
  await redis.del(`{s${account.shard}}:wallet:${account.accountId}`);
  const results = await Promise.all(Array.from({ length: 5 }, () => wallet.reserve(order(account))));
  expect(results.every((result) => !result.ok && result.reason === 'wallet_missing')).toBe(true);
  const stream = new UsageStream(redis, () => {});
  const [read] = await stream.read([account.shard], 10_000);
  stream.close();
  const asked = read?.entries.filter(
    ({ fields }) => fields.kind === 'hydrate' && fields.account === String(account.accountId),
  );
  expect(asked).toHaveLength(1);
});

test('credits are applied once and in their order', async () => {
  const account = await openAccount(1_000n);
  const credit = (creditSeq: number) => keeper.credit({ accountId: account.accountId, creditSeq, amountNano: 5n });
  expect(await credit(1)).toBe('duplicate');
  expect(await credit(3)).toBe('gap');
  expect(await credit(2)).toBe('applied');
  expect(await credit(2)).toBe('duplicate');
  expect(await credit(3)).toBe('applied');
  expect(await balances(account)).toEqual([1_010n, 0n, 0n]);
});

test('sums above 2^53 stay exact', async () => {
  const account = await openAccount(0n);
  await redis.del(`{s${account.shard}}:wallet:${account.accountId}`);
  await hydrate(account.accountId, 90_071_992_547_409_931n, 90_071_992_547_408_930n);
  expect(await balances(account)).toEqual([1_001n, 0n, 90_071_992_547_408_930n]);
  const reserved = order(account);
  await wallet.reserve(reserved);
  await settle(account, reserved.requestId, 99n);
  expect(await balances(account)).toEqual([902n, 0n, 90_071_992_547_409_029n]);
});

test('a key is judged in the call that reserves', async () => {
  const account = await openAccount(1_000n);
  const publish = (change: object) =>
    keeper.publishKey({
      id: 1,
      accountId: account.accountId,
      hash: account.keyHash,
      version: 2,
      deleted: false,
      active: true,
      expiresAt: null,
      allowedModels: null,
      ...change,
    });
  const reason = async () => {
    const result = await wallet.reserve(order(account));
    return result.ok ? 'ok' : result.reason;
  };
  await publish({ active: false });
  expect(await reason()).toBe('key_inactive');
  await publish({ version: 1, active: true });
  expect(await reason()).toBe('key_inactive');
  await publish({ version: 3, expiresAt: new Date(Date.now() - 1) });
  expect(await reason()).toBe('key_expired');
  await publish({ version: 4, allowedModels: ['demo/other', 'demo/chat-2'] });
  expect(await reason()).toBe('model_not_allowed');
  await publish({ version: 5, allowedModels: ['demo/other', 'demo/chat'] });
  expect(await reason()).toBe('ok');
  await publish({ version: 6, deleted: true });
  expect(await reason()).toBe('key_unknown');
  await publish({ version: 5 });
  expect(await reason()).toBe('key_unknown');
  await keeper.writeMeta(account.shard, { mode: 'recovering', epoch: 2 });
  expect(await reason()).toBe('recovering');
  await keeper.writeMeta(account.shard, { mode: 'open', epoch: 2 });
});

test('a script refuses what is no amount before it writes anything', async () => {
  const account = await openAccount(1_000n);
  await expect(wallet.reserve(order(account, { amountNano: nanoUsd(-1n) }))).rejects.toThrow('not an amount');
  await expect(settle(account, Bun.randomUUIDv7(), 9_007_199_254_740_992n)).rejects.toThrow('not an amount');
  expect(await balances(account)).toEqual([1_000n, 0n, 0n]);
});
