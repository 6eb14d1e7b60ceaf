/** Orders that come up together go to Redis in one call, and each is answered as if it had been alone. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { nanoUsd } from '../../../shared/money.ts';
import { Wallet, type WalletRedis } from '../../../shared/wallet/wallet.ts';
import { waitFor } from '../../harness/account-view.ts';
import { heldBy, orderOf, startWalletBench, type WalletBench } from '../../harness/wallet/wallet-bench.ts';

/** Tells how many orders each call has, and can lose its answer. */
class CountingRedis implements WalletRedis {
  calls: number[] = [];
  isLosingAnswers = false;
  isCluster = false;
  #answered: Promise<void> = Promise.resolve();

  /** Until what it returns is resolved. */
  holdAnswers(): PromiseWithResolvers<void> {
    const answered = Promise.withResolvers<void>();
    this.#answered = answered.promise;
    return answered;
  }

  async evalsha(sha: string, keyCount: number, ...rest: string[]): Promise<unknown> {
    this.calls.push(countOrders(rest.at(-1)));
    const answer = await bench.redis.evalsha(sha, keyCount, ...rest);
    await this.#answered;
    if (this.isLosingAnswers) throw new Error('Command timed out');
    return answer;
  }

  eval(source: string, keyCount: number, ...rest: string[]): Promise<unknown> {
    return bench.redis.eval(source, keyCount, ...rest);
  }

  xrange(key: string, start: string, end: string, count: 'COUNT', limit: number): Promise<[string, string[]][]> {
    return bench.redis.xrange(key, start, end, count, limit);
  }
}

/** Each order begins with the tag of its shard. */
function countOrders(packed = '[]'): number {
  return JSON.parse(packed).filter((value: unknown) => typeof value === 'string' && /^\{s\d+\}$/.test(value)).length;
}

let bench: WalletBench;
let redis: CountingRedis;
let wallet: Wallet;

beforeAll(async () => {
  bench = await startWalletBench();
});

beforeEach(() => {
  redis = new CountingRedis();
  wallet = new Wallet(redis);
});

afterAll(() => bench.stop());

test('orders of many accounts and shards are one call, and each account pays its own', async () => {
  const accounts = await Promise.all([100n, 200n, 300n].map((nano) => bench.openAccount(nano)));
  const orders = accounts.map((account) => orderOf(account));
  const reserved = await Promise.all(orders.map((order) => wallet.reserve(order)));
  expect(reserved.map((each) => each.ok && each.accountId)).toEqual(accounts.map(({ accountId }) => accountId));
  await Promise.all(
    accounts.map((account, index) =>
      wallet.settle(heldBy(account, orders[index]?.requestId ?? ''), {
        costNano: nanoUsd(BigInt(index + 1)),
        detail: '{}',
        tokens: 0,
      }),
    ),
  );
  expect(redis.calls).toEqual([3, 3]);
  expect(await Promise.all(accounts.map((account) => bench.balances(account)))).toEqual([
    [99n, 0n, 1n],
    [198n, 0n, 2n],
    [297n, 0n, 3n],
  ]);
});

test('orders of one account see each other: together they hold no more than there is', async () => {
  const account = await bench.openAccount(250n);
  const results = await Promise.all(Array.from({ length: 5 }, () => wallet.reserve(orderOf(account))));
  expect(redis.calls).toEqual([5]);
  expect(results.map(({ ok }) => ok)).toEqual([true, true, false, false, false]);
  expect(await bench.balances(account)).toEqual([50n, 200n, 0n]);
});

test('an order whose script fails is refused alone', async () => {
  const account = await bench.openAccount(1_000n);
  const [good, bad] = [orderOf(account), orderOf(account, { rateTokens: -1 })];
  const [first, second, third] = await Promise.allSettled(
    [good, bad, orderOf(account)].map((each) => wallet.reserve(each)),
  );
  expect(redis.calls).toEqual([3]);
  expect(first?.status).toBe('fulfilled');
  expect(second).toMatchObject({ status: 'rejected', reason: { message: expect.stringContaining('not an amount') } });
  expect(third?.status).toBe('fulfilled');
  expect(await bench.balances(account)).toEqual([800n, 200n, 0n]);
});

test('where the answer of a call is lost, the outcome of all of its orders is unknown', async () => {
  const account = await bench.openAccount(1_000n);
  const orders = Array.from({ length: 3 }, () => orderOf(account));
  redis.isLosingAnswers = true;
  const results = await Promise.allSettled(orders.map((order) => wallet.reserve(order)));
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  redis.isLosingAnswers = false;
  await Promise.all(orders.map((order) => wallet.release(order)));
  expect(await bench.balances(account)).toEqual([1_000n, 0n, 0n]);
});

test('a call has an end to its size, so that Redis is not kept from others for long', async () => {
  const account = await bench.openAccount(100_000n);
  await Promise.all(Array.from({ length: 130 }, () => wallet.reserve(orderOf(account))));
  expect(redis.calls).toEqual([64, 64, 2]);
});

test('large answers that are kept do not share a call', async () => {
  const account = await bench.openAccount(100_000n);
  const orders = Array.from({ length: 4 }, () => orderOf(account));
  await Promise.all(orders.map((order) => wallet.reserve(order)));
  const answers = ['', 'x'.repeat(200_000), 'x'.repeat(200_000), ''];
  await Promise.all(
    orders.map(({ requestId }, index) => {
      const charge = { costNano: nanoUsd(1n), detail: '[]', tokens: 0, answer: answers[index] };
      return wallet.settle(heldBy(account, requestId), charge);
    }),
  );
  expect(redis.calls).toEqual([4, 2, 2]);
  expect(await bench.balances(account)).toEqual([99_996n, 0n, 4n]);
});

test('orders that come up while a call is under way leave together when it is answered', async () => {
  const account = await bench.openAccount(100_000n);
  const answered = redis.holdAnswers();
  const first = wallet.reserve(orderOf(account));
  await waitFor('the first call', 5_000, async () => redis.calls.length === 1);
  const others = Promise.all([1, 2, 3].map(() => wallet.reserve(orderOf(account))));
  answered.resolve();
  await Promise.all([first, others]);
  expect(redis.calls).toEqual([1, 3]);
});

test('they do not wait for an answer that does not come', async () => {
  const account = await bench.openAccount(100_000n);
  const answered = redis.holdAnswers();
  const first = wallet.reserve(orderOf(account));
  await waitFor('the first call', 5_000, async () => redis.calls.length === 1);
  const second = wallet.reserve(orderOf(account));
  await waitFor('the second call', 5_000, async () => redis.calls.length === 2);
  answered.resolve();
  expect(await Promise.all([first, second])).toMatchObject([{ ok: true }, { ok: true }]);
});

test('an order that may wait leaves as soon as somebody waits for it', async () => {
  const account = await bench.openAccount(100_000n);
  const patientMs = 600_000;
  // Patience is for company: an order after a pause would leave at once.
  await wallet.reserve(orderOf(account));
  const patient = [1, 2].map(() => wallet.reserve(orderOf(account), patientMs));
  expect(redis.calls).toEqual([1]);
  wallet.hurryReserves();
  expect(await Promise.all(patient)).toMatchObject([{ ok: true }, { ok: true }]);
  expect(redis.calls).toEqual([1, 2]);
});

test('a cluster is given calls of one shard each', async () => {
  redis.isCluster = true;
  const accounts = await Promise.all(Array.from({ length: 3 }, () => bench.openAccount(1_000n)));
  const orders = [...accounts, ...accounts].map((account) => orderOf(account));
  const results = await Promise.all(orders.map((order) => wallet.reserve(order)));
  expect(redis.calls).toEqual([2, 2, 2]);
  expect(results.every(({ ok }) => ok)).toBe(true);
});
