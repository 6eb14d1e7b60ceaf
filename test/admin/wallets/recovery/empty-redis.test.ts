/**
 * A Redis that has lost everything serves the keys of accounts that are in use while those of all others are still being published;
 * none of these is said to be invalid. One with a former state of the keys serves none before all are published.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { keepShardsOpen } from '../../../../admin/wallets/recovery/keep-shards-open.ts';
import { hashKey } from '../../../../shared/keys/api-key.ts';
import { createLog } from '../../../../shared/log.ts';
import { nanoUsd } from '../../../../shared/money.ts';
import { encodeChargeDetail } from '../../../../shared/usage/charge-detail.ts';
import { allShards, shardOfAccount } from '../../../../shared/wallet/shard.ts';
import { Wallet } from '../../../../shared/wallet/wallet.ts';
import { WalletAuditor } from '../../../../shared/wallet/wallet-auditor.ts';
import { type PublishedKey, WalletKeeper } from '../../../../shared/wallet/wallet-keeper.ts';
import { bookWaiting } from '../../../harness/book-waiting.ts';
import { violationsAtRest } from '../../../harness/books.ts';
import type { Customer } from '../../../harness/customers.ts';
import { detailOf } from '../../../harness/wallet/charge-detail.ts';
import { readIdentity } from '../../../harness/wallet/shard-state.ts';
import { reserveRequestOf } from '../../../harness/wallet/wallet-bench.ts';
import { type Harness, startHarness } from '../../../harness.ts';

const idleCount = 70;
const detail = encodeChargeDetail(detailOf({ startedAtMs: Date.now() }));
const log = createLog({ program: 'test', level: 'error' });

let harness: Harness;
let wallet: Wallet;
let active: Customer[];
let idle: Customer[];
beforeAll(async () => {
  harness = await startHarness();
  wallet = new Wallet(harness.redis);
  active = await customers(3);
  idle = await customers(idleCount);
  await recover(harness.keeper);
  for (const customer of active) await spend(customer);
  await bookWaiting(harness);
});
afterAll(() => harness.stop());

function customers(count: number): Promise<Customer[]> {
  return Promise.all(Array.from({ length: count }, () => harness.createCustomer({ usd: '1' })));
}

function recover(keeper: WalletKeeper): Promise<number> {
  const { redis, database } = harness;
  return keepShardsOpen({ sql: database.sql, redis, keeper, auditor: new WalletAuditor(redis), log }, allShards);
}

async function reserve({ accountId, proxyKey }: Pick<Customer, 'accountId' | 'proxyKey'>) {
  const shard = shardOfAccount(accountId);
  const keyHash = hashKey(proxyKey, harness.keyPepper);
  const account = { accountId, shard, keyHash, identity: await readIdentity(harness.redis, shard) };
  const request = reserveRequestOf(account, { models: ['test/chat'], amountNano: nanoUsd(50_000n), detail });
  return { held: { ...request, accountId }, reserved: await wallet.reserve(request) };
}

/** What a request of the customer is refused for; undefined if it is charged. */
async function spend(customer: Customer): Promise<string | undefined> {
  const { held, reserved } = await reserve(customer);
  if (!reserved.ok) return reserved.reason;
  const { requestId, shard, accountId } = held;
  const request = { requestId, shard, accountId, keyId: customer.proxyKeyId, epoch: reserved.epoch };
  await wallet.settle(request, { costNano: nanoUsd(1_000n), tokens: 1, detail });
  return undefined;
}

/** After requests that find no wallets, which are then made from the ledger. */
async function expectServed(all: readonly Customer[]): Promise<void> {
  for (const customer of all) await spend(customer);
  await bookWaiting(harness);
  for (const customer of all) expect(await spend(customer)).toBeUndefined();
}

/** They are asked for nothing else, so they are not in use. */
async function expectOfIdle(refusal: string): Promise<void> {
  for (const customer of idle) expect(await spend(customer)).toBe(refusal);
}

/** Publishes keys only when the test has looked. */
class WatchedKeeper extends WalletKeeper {
  constructor(readonly look: (published: readonly PublishedKey[]) => Promise<void>) {
    super(harness.redis);
  }

  override async publishKeys(published: readonly PublishedKey[]): Promise<void> {
    await this.look(published);
    await super.publishKeys(published);
  }
}

const refusalOfStranger = async (accountId: number) => {
  const { reserved } = await reserve({ accountId, proxyKey: 'sk-nobody' });
  return reserved.ok ? undefined : reserved.reason;
};

test('keys in use work before the others are published, and no key is invalid meanwhile', async () => {
  await harness.redis.flushall();
  const calls: number[] = [];
  const keeper = new WatchedKeeper(async (published) => {
    calls.push(published.length);
    if (published.length < idleCount) return;
    await expectServed(active);
    await expectOfIdle('recovering');
    for (const { accountId } of idle) expect(await refusalOfStranger(accountId)).toBe('recovering');
  });
  await recover(keeper);
  expect(calls).toEqual([active.length, active.length + idleCount]);
  await expectOfIdle('wallet_missing');
  for (const { accountId } of idle) expect(await refusalOfStranger(accountId)).toBe('key_unknown');
  await bookWaiting(harness);
  const accountIds = [...active, ...idle].map(({ accountId }) => accountId);
  expect(await violationsAtRest(harness, accountIds)).toEqual([]);
});

test('with a former state of the keys, none works before all are published', async () => {
  for (const shard of allShards) await harness.redis.hset(`{s${shard}}:meta`, 'identity', 'the one before');
  const calls: number[] = [];
  const keeper = new WatchedKeeper(async (published) => {
    calls.push(published.length);
    for (const customer of [...active, ...idle]) expect(await spend(customer)).toBe('recovering');
  });
  await recover(keeper);
  expect(calls).toEqual([active.length + idleCount]);
  await expectServed(active);
});

test('an admin that ends while keys are being published leaves it to the next one', async () => {
  await harness.redis.flushall();
  let isFirst = true;
  const keeper = new WatchedKeeper(async () => {
    if (!isFirst) throw new Error('the admin has ended');
    isFirst = false;
  });
  await expect(recover(keeper)).rejects.toThrow('the admin has ended');
  await expectServed(active);
  await expectOfIdle('recovering');
  // It closes no shard that is open for some.
  expect(await recover(harness.keeper)).toBe(0);
  await expectServed(active);
  await expectOfIdle('wallet_missing');
});

/** Redis loses everything, once, when so many keys have been published. */
class LosingKeeper extends WalletKeeper {
  readonly #calls: number;
  #published = 0;

  constructor(calls: number) {
    super(harness.redis);
    this.#calls = calls;
  }

  override async publishKeys(published: readonly PublishedKey[]): Promise<void> {
    await super.publishKeys(published);
    this.#published += 1;
    if (this.#published === this.#calls) await harness.redis.flushall();
  }
}

test.each([
  ['all keys', 1, () => harness.redis.hset(`{s${shardOfAccount(idle[0]?.accountId ?? 0)}}:meta`, 'identity', 'other')],
  ['keys in use', 1, () => harness.redis.flushall()],
  ['the other keys', 2, () => harness.redis.flushall()],
])(
  'a shard whose Redis loses everything after %s were published stays closed, and is recovered again',
  async (_what, calls, begin) => {
    await begin();
    await recover(new LosingKeeper(calls));
    for (const customer of [...active, ...idle]) expect(await spend(customer)).toBe('recovering');
    await recover(harness.keeper);
    await expectServed(active);
    await expectOfIdle('wallet_missing');
  },
);
