/** Wallet operations that are requested together go to Redis in one batch, and each gets its own reply. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { nanoUsd } from '../../../shared/money.ts';
import { Wallet, type WalletRedis } from '../../../shared/wallet/wallet.ts';
import { guardTimeoutMs, waitFor } from '../../harness/account-view.ts';
import { heldBy, reserveRequestOf, startWalletBench, type WalletBench } from '../../harness/wallet/wallet-bench.ts';

/** Records how many operations each batch has, and can lose the reply. */
class CountingRedis implements WalletRedis {
  calls: number[] = [];
  isLosingReplies = false;
  isCluster = false;
  #responded: Promise<void> = Promise.resolve();

  /** Replies are held back until the returned promise is resolved. */
  holdReplies(): PromiseWithResolvers<void> {
    const responded = Promise.withResolvers<void>();
    this.#responded = responded.promise;
    return responded;
  }

  async evalsha(sha: string, keyCount: number, ...rest: string[]): Promise<unknown> {
    this.calls.push(countItems(rest.at(-1)));
    const response = await bench.redis.evalsha(sha, keyCount, ...rest);
    await this.#responded;
    if (this.isLosingReplies) throw new Error('Command timed out');
    return response;
  }

  eval(source: string, keyCount: number, ...rest: string[]): Promise<unknown> {
    return bench.redis.eval(source, keyCount, ...rest);
  }

  xrange(key: string, start: string, end: string, count: 'COUNT', limit: number): Promise<[string, string[]][]> {
    return bench.redis.xrange(key, start, end, count, limit);
  }
}

/** Each operation begins with the tag of its shard. */
function countItems(packed = '[]'): number {
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

test('operations of many accounts and shards are one batch, and each account pays for its own', async () => {
  const accounts = await Promise.all([100n, 200n, 300n].map((nano) => bench.openAccount(nano)));
  const requests = accounts.map((account) => reserveRequestOf(account));
  const reserved = await Promise.all(requests.map((request) => wallet.reserve(request)));
  expect(reserved.map((each) => each.ok && each.accountId)).toEqual(accounts.map(({ accountId }) => accountId));
  await Promise.all(
    accounts.map((account, index) =>
      wallet.settle(heldBy(account, requests[index]?.requestId ?? ''), {
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

test('the operations of one account in a batch together hold no more than its balance', async () => {
  const account = await bench.openAccount(250n);
  const results = await Promise.all(Array.from({ length: 5 }, () => wallet.reserve(reserveRequestOf(account))));
  expect(redis.calls).toEqual([5]);
  expect(results.map(({ ok }) => ok)).toEqual([true, true, false, false, false]);
  expect(await bench.balances(account)).toEqual([50n, 200n, 0n]);
});

test('an operation whose script fails is refused without affecting the others of its batch', async () => {
  const account = await bench.openAccount(1_000n);
  const [good, bad] = [reserveRequestOf(account), reserveRequestOf(account, { rateTokens: -1 })];
  const [first, second, third] = await Promise.allSettled(
    [good, bad, reserveRequestOf(account)].map((each) => wallet.reserve(each)),
  );
  expect(redis.calls).toEqual([3]);
  expect(first?.status).toBe('fulfilled');
  expect(second).toMatchObject({ status: 'rejected', reason: { message: expect.stringContaining('not an amount') } });
  expect(third?.status).toBe('fulfilled');
  expect(await bench.balances(account)).toEqual([800n, 200n, 0n]);
});

test('the outcome of every operation in a batch is unknown if the reply is lost', async () => {
  const account = await bench.openAccount(1_000n);
  const requests = Array.from({ length: 3 }, () => reserveRequestOf(account));
  redis.isLosingReplies = true;
  const results = await Promise.allSettled(requests.map((request) => wallet.reserve(request)));
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  redis.isLosingReplies = false;
  await Promise.all(requests.map((request) => wallet.release(request)));
  expect(await bench.balances(account)).toEqual([1_000n, 0n, 0n]);
});

test('the size of a batch is limited, so that Redis is not blocked for long', async () => {
  const account = await bench.openAccount(100_000n);
  await Promise.all(Array.from({ length: 130 }, () => wallet.reserve(reserveRequestOf(account))));
  expect(redis.calls).toEqual([64, 64, 2]);
});

test('stored responses that are large do not share a batch', async () => {
  const account = await bench.openAccount(100_000n);
  const requests = Array.from({ length: 4 }, () => reserveRequestOf(account));
  await Promise.all(requests.map((request) => wallet.reserve(request)));
  const responses = ['', 'x'.repeat(200_000), 'x'.repeat(200_000), ''];
  await Promise.all(
    requests.map(({ requestId }, index) => {
      const charge = { costNano: nanoUsd(1n), detail: '[]', tokens: 0, response: responses[index] };
      return wallet.settle(heldBy(account, requestId), charge);
    }),
  );
  expect(redis.calls).toEqual([4, 2, 2]);
  expect(await bench.balances(account)).toEqual([99_996n, 0n, 4n]);
});

test('operations that arrive while a batch is in flight are sent together after its reply', async () => {
  const account = await bench.openAccount(100_000n);
  const responded = redis.holdReplies();
  const first = wallet.reserve(reserveRequestOf(account));
  await waitFor('the first call', guardTimeoutMs, async () => redis.calls.length === 1);
  const others = Promise.all([1, 2, 3].map(() => wallet.reserve(reserveRequestOf(account))));
  responded.resolve();
  await Promise.all([first, others]);
  expect(redis.calls).toEqual([1, 3]);
});

test('operations do not wait for a reply that does not arrive', async () => {
  const account = await bench.openAccount(100_000n);
  const responded = redis.holdReplies();
  const first = wallet.reserve(reserveRequestOf(account));
  await waitFor('the first call', guardTimeoutMs, async () => redis.calls.length === 1);
  const second = wallet.reserve(reserveRequestOf(account));
  await waitFor('the second call', guardTimeoutMs, async () => redis.calls.length === 2);
  responded.resolve();
  expect(await Promise.all([first, second])).toMatchObject([{ ok: true }, { ok: true }]);
});

test('in a cluster each batch has operations of one shard', async () => {
  redis.isCluster = true;
  const accounts = await Promise.all(Array.from({ length: 3 }, () => bench.openAccount(1_000n)));
  const requests = [...accounts, ...accounts].map((account) => reserveRequestOf(account));
  const results = await Promise.all(requests.map((request) => wallet.reserve(request)));
  expect(redis.calls).toEqual([2, 2, 2]);
  expect(results.every(({ ok }) => ok)).toBe(true);
});
