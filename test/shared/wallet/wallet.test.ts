/** The wallet scripts on a real Redis: what each one promises, in every order in which calls can arrive. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { nanoUsd } from '../../../shared/money.ts';
import { noKeyLimits } from '../../../shared/wallet/key-limits.ts';
import { expireDue } from '../../harness/wallet/shard-state.ts';
import {
  heldBy,
  reserveRequestOf,
  startWalletBench,
  type TestAccount,
  type WalletBench,
  walletKeyOf,
} from '../../harness/wallet/wallet-bench.ts';

let bench: WalletBench;

beforeAll(async () => {
  bench = await startWalletBench();
});

afterAll(() => bench.stop());

const settle = (account: TestAccount, requestId: string, costNano: bigint) =>
  bench.wallet.settle(heldBy(account, requestId), { costNano: nanoUsd(costNano), detail: '{}', tokens: 0 });

const charges = async (account: TestAccount) =>
  (await bench.entries(account)).filter((fields) => fields.kind === 'charge');

test('a reserve moves an amount from available to held, and a settle charges it and returns the rest', async () => {
  const account = await bench.openAccount(1_000n);
  const { requestId, ...rest } = reserveRequestOf(account);
  expect(await bench.wallet.reserve({ requestId, ...rest })).toMatchObject({
    ok: true,
    outputCap: 100,
    accountId: account.accountId,
  });
  expect(await bench.balances(account)).toEqual([900n, 100n, 0n]);
  await settle(account, requestId, 40n);
  expect(await bench.balances(account)).toEqual([960n, 0n, 40n]);
  expect(await charges(account)).toMatchObject([
    { request: requestId, rank: '2', cost: '40', spent: '40', seq: '1', uncharged: '0' },
  ]);
});

test('every wallet operation is idempotent', async () => {
  const account = await bench.openAccount(1_000n);
  const reserved = reserveRequestOf(account);
  await bench.wallet.reserve(reserved);
  expect(await bench.wallet.reserve(reserved)).toMatchObject({ ok: true });
  expect(await bench.balances(account)).toEqual([900n, 100n, 0n]);
  await settle(account, reserved.requestId, 40n);
  await settle(account, reserved.requestId, 40n);
  await bench.wallet.release(reserved);
  expect(await bench.balances(account)).toEqual([960n, 0n, 40n]);
  expect(await bench.wallet.reserve(reserved)).toEqual({ ok: false, reason: 'already_done' });
  expect(await charges(account)).toHaveLength(1);
});

test('two hundred concurrent reserves hold exactly the balance', async () => {
  const account = await bench.openAccount(1_000n);
  const results = await Promise.all(Array.from({ length: 200 }, () => bench.wallet.reserve(reserveRequestOf(account))));
  expect(results.filter((result) => result.ok)).toHaveLength(10);
  expect(results.find((result) => !result.ok)).toMatchObject({
    ok: false,
    reason: 'short',
    availableNano: nanoUsd(0n),
    heldNano: nanoUsd(1_000n),
  });
  expect(await bench.balances(account)).toEqual([0n, 1_000n, 0n]);
});

test('a reserve that arrives after its release holds nothing', async () => {
  const account = await bench.openAccount(1_000n);
  const late = reserveRequestOf(account);
  await bench.wallet.release(late);
  expect(await bench.wallet.reserve(late)).toEqual({ ok: false, reason: 'already_done' });
  expect(await bench.balances(account)).toEqual([1_000n, 0n, 0n]);
});

test('the output cap is lowered to what the balance covers, and not below the lowest useful one', async () => {
  const account = await bench.openAccount(50n);
  const lowered = await bench.wallet.reserve(
    reserveRequestOf(account, { promptPartNano: nanoUsd(10n), lowestCap: 16 }),
  );
  expect(lowered).toMatchObject({ ok: true, outputCap: 40 });
  expect(await bench.balances(account)).toEqual([0n, 50n, 0n]);
  const poor = await bench.openAccount(20n);
  expect(
    await bench.wallet.reserve(reserveRequestOf(poor, { promptPartNano: nanoUsd(10n), lowestCap: 16 })),
  ).toMatchObject({
    ok: false,
    reason: 'short',
  });
});

test('a cost above hold and balance takes no wallet below zero, and the rest is reported as uncharged', async () => {
  const account = await bench.openAccount(100n);
  const reserved = reserveRequestOf(account);
  await bench.wallet.reserve(reserved);
  await settle(account, reserved.requestId, 130n);
  expect(await bench.balances(account)).toEqual([0n, 0n, 100n]);
  expect(await charges(account)).toMatchObject([{ cost: '100', uncharged: '30' }]);
});

test('an abandoned hold is charged its last renewal as an estimate, which a late settle replaces', async () => {
  const account = await bench.openAccount(1_000n);
  const reserved = reserveRequestOf(account);
  await bench.wallet.reserve(reserved);
  const held = heldBy(account, reserved.requestId);
  await bench.wallet.renew(held, { amountNano: nanoUsd(100n), costNano: nanoUsd(30n), detail: '{}' });
  expect(await expireDue(bench.keeper, account.shard)).toBe(0);
  await bench.redis.zadd(`{s${account.shard}}:holds`, 1, reserved.requestId);
  expect(await expireDue(bench.keeper, account.shard)).toBe(1);
  expect(await bench.balances(account)).toEqual([970n, 0n, 30n]);
  expect(await bench.wallet.renew(held, { amountNano: nanoUsd(100n), costNano: nanoUsd(50n), detail: '{}' })).toEqual({
    ok: false,
    reason: 'gone',
  });
  await settle(account, reserved.requestId, 25n);
  expect(await bench.balances(account)).toEqual([975n, 0n, 25n]);
  expect((await charges(account)).map(({ rank, cost, spent }) => [rank, cost, spent])).toEqual([
    ['1', '30', '30'],
    ['2', '25', '25'],
  ]);
});

test('a renewal recreates a lost hold and raises an existing one, up to the balance', async () => {
  const account = await bench.openAccount(150n);
  const reserved = reserveRequestOf(account);
  await bench.wallet.reserve(reserved);
  const held = heldBy(account, reserved.requestId);
  await bench.redis.del(`{s${account.shard}}:request:${reserved.requestId}`);
  await bench.redis.hset(walletKeyOf(account), { available: '150', held: '0' });
  const renew = (amount: bigint) =>
    bench.wallet.renew(held, { amountNano: nanoUsd(amount), costNano: nanoUsd(1n), detail: '{}' });
  expect(await renew(100n)).toMatchObject({ ok: true });
  expect(await bench.balances(account)).toEqual([50n, 100n, 0n]);
  expect(await renew(140n)).toMatchObject({ ok: true });
  expect(await renew(151n)).toEqual({ ok: false, reason: 'short' });
  expect(await bench.balances(account)).toEqual([10n, 140n, 0n]);
});

test('charges without a wallet wait as orphans and count when the wallet is hydrated', async () => {
  const account = await bench.openAccount(1_000n);
  await bench.redis.del(walletKeyOf(account));
  const requestId = Bun.randomUUIDv7();
  await settle(account, requestId, 70n);
  await settle(account, requestId, 70n);
  expect(await bench.keeper.readOrphans(account.accountId)).toEqual([requestId]);
  expect(await bench.hydrate(account.accountId, 1_000n)).toBe('again');
  expect(
    await bench.hydrate(account.accountId, 1_000n, 20n, new Map([[requestId, { rank: 1, chargedNano: 20n }]])),
  ).toBe('hydrated');
  expect(await bench.balances(account)).toEqual([930n, 0n, 70n]);
  expect(await bench.hydrate(account.accountId, 1_000n)).toBe('exists');
});

test('a missing wallet is requested once through the usage stream', async () => {
  const account = await bench.openAccount(1_000n);
  await bench.redis.del(walletKeyOf(account));
  const results = await Promise.all(Array.from({ length: 5 }, () => bench.wallet.reserve(reserveRequestOf(account))));
  expect(results.every((result) => !result.ok && result.reason === 'wallet_missing')).toBe(true);
  expect(await bench.entries(account)).toMatchObject([{ kind: 'hydrate' }]);
});

test('credits are applied once and in their order', async () => {
  const account = await bench.openAccount(1_000n);
  const credit = (creditSeq: number) =>
    bench.keeper.credit({ accountId: account.accountId, creditSeq, amountNano: 5n });
  expect(await credit(1)).toBe('duplicate');
  expect(await credit(3)).toBe('gap');
  expect(await credit(2)).toBe('applied');
  expect(await credit(2)).toBe('duplicate');
  expect(await credit(3)).toBe('applied');
  expect(await bench.balances(account)).toEqual([1_010n, 0n, 0n]);
});

test('sums above 2^53 stay exact', async () => {
  const account = await bench.openAccount(0n);
  await bench.redis.del(walletKeyOf(account));
  await bench.hydrate(account.accountId, 90_071_992_547_409_931n, 90_071_992_547_408_930n);
  expect(await bench.balances(account)).toEqual([1_001n, 0n, 90_071_992_547_408_930n]);
  const reserved = reserveRequestOf(account);
  await bench.wallet.reserve(reserved);
  await settle(account, reserved.requestId, 99n);
  expect(await bench.balances(account)).toEqual([902n, 0n, 90_071_992_547_409_029n]);
});

test("a previous version's key record is still checked, and that version refuses an unverified one", async () => {
  const account = await bench.openAccount(1_000n);
  const name = `{s${account.shard}}:key:${account.keyHash}`;
  const released = { version: '1', account: String(account.accountId), id: '1', expiresAt: '', models: '', limits: '' };
  const admitWith = async (active: string) => {
    await bench.redis.del(name);
    await bench.redis.hset(name, { ...released, active });
    const result = await bench.wallet.admit(account);
    return result.ok ? 'ok' : result.reason;
  };
  expect(await admitWith('1')).toBe('ok');
  expect(await admitWith('0')).toBe('key_inactive');
  // The previous version takes everything except '1' for deactivated.
  expect(await admitWith('unproven')).toBe('email_unproven');
});

test('a key is checked in the call that reserves', async () => {
  const account = await bench.openAccount(1_000n);
  const publish = (change: object) =>
    bench.keeper.publishKey({
      id: 1,
      accountId: account.accountId,
      hash: account.keyHash,
      version: 2,
      deleted: false,
      active: true,
      addressProven: true,
      expiresAt: null,
      allowedModels: null,
      limits: noKeyLimits,
      ...change,
    });
  const reason = async () => {
    const result = await bench.wallet.reserve(reserveRequestOf(account));
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
  await publish({ version: 6, addressProven: false });
  expect(await reason()).toBe('email_unproven');
  await publish({ version: 7, active: false, addressProven: false });
  expect(await reason()).toBe('key_inactive');
  await publish({ version: 8, deleted: true });
  expect(await reason()).toBe('key_unknown');
  await publish({ version: 5 });
  expect(await reason()).toBe('key_unknown');
  await bench.keeper.writeMeta(account.shard, { mode: 'recovering', epoch: 2, identity: account.identity });
  expect(await reason()).toBe('recovering');
  await bench.keeper.writeMeta(account.shard, { mode: 'open', epoch: 2, identity: account.identity });
});

test('a script refuses an invalid amount before it writes anything', async () => {
  const account = await bench.openAccount(1_000n);
  await expect(bench.wallet.reserve(reserveRequestOf(account, { amountNano: nanoUsd(-1n) }))).rejects.toThrow(
    'not an amount',
  );
  await expect(settle(account, Bun.randomUUIDv7(), 9_007_199_254_740_992n)).rejects.toThrow('not an amount');
  expect(await bench.balances(account)).toEqual([1_000n, 0n, 0n]);
});
