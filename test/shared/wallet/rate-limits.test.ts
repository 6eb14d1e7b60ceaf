/**
 * Limits on requests and tokens per minute and on concurrent requests: they are exact under concurrency, and nothing is
 * left over however a request ends.
 */
import { afterAll, describe, expect, test } from 'bun:test';
import { nanoUsd } from '../../../shared/money.ts';
import { noKeyLimits } from '../../../shared/wallet/key-limits.ts';
import { expireDue } from '../../harness/wallet/shard-state.ts';
import { heldBy, noRateLimits, type TestAccount, walletKeyOf } from '../../harness/wallet/wallet-bench.ts';
import { dayMs, lateNovemberMs, limited, startClockedBench } from './clocked-bench.ts';

const { bench, wallet, keeper, setClock, begin, settle } = await startClockedBench();

afterAll(() => bench.stop());

const perMinute = (requests: number, tokens = 0, streams = 0) => ({
  ...noRateLimits,
  requestsPerMinute: requests,
  tokensPerMinute: tokens,
  concurrentStreams: streams,
});

describe('the limit of requests per minute', () => {
  test('admits exactly its number of 300 concurrent requests over four connections', async () => {
    await setClock(lateNovemberMs);
    const account = await bench.openAccount(1_000_000n);
    const change = { rateDefaults: perMinute(100) };
    const outcomes = await Promise.all(Array.from({ length: 300 }, () => begin(account, change)));
    expect(outcomes.filter(({ reason }) => reason === 'ok')).toHaveLength(100);
    expect(outcomes.filter(({ reason }) => reason === 'limited')).toHaveLength(200);
  });

  test('is regained evenly, and the reported wait is exactly sufficient', async () => {
    await setClock(lateNovemberMs);
    const account = await bench.openAccount(1_000_000n);
    const change = { rateDefaults: perMinute(10) };
    for (let count = 0; count < 10; count += 1) expect((await begin(account, change)).reason).toBe('ok');
    const { result } = await begin(account, change);
    const refusal = limited(result);
    expect(refusal).toMatchObject({ what: 'requests', scope: 'key', limit: 10, retryAfterMs: 6_000 });
    expect(refusal.rates).toMatchObject({ requests: { limit: 10, remaining: 0, resetMs: 60_000 } });
    await setClock(lateNovemberMs + refusal.retryAfterMs - 1);
    expect((await begin(account, change)).reason).toBe('limited');
    await setClock(lateNovemberMs + refusal.retryAfterMs);
    expect((await begin(account, change)).reason).toBe('ok');
    expect((await begin(account, change)).reason).toBe('limited');
    await setClock(lateNovemberMs + 66_000);
    expect((await begin(account, change)).result).toMatchObject({ rates: { requests: { remaining: 9 } } });
  });

  test('a limit of one request per minute admits the next after 60 seconds', async () => {
    await setClock(lateNovemberMs);
    const account = await bench.openAccount(1_000_000n);
    const change = { rateDefaults: perMinute(1) };
    expect((await begin(account, change)).reason).toBe('ok');
    expect(limited((await begin(account, change)).result)).toMatchObject({ retryAfterMs: 60_000 });
    await setClock(lateNovemberMs + 59_999);
    expect((await begin(account, change)).reason).toBe('limited');
    await setClock(lateNovemberMs + 60_000);
    expect((await begin(account, change)).reason).toBe('ok');
  });

  test('is whole again when the clock is set back', async () => {
    await setClock(lateNovemberMs);
    const account = await bench.openAccount(1_000_000n);
    const change = { rateDefaults: perMinute(1) };
    expect((await begin(account, change)).reason).toBe('ok');
    await setClock(lateNovemberMs - dayMs);
    expect((await begin(account, change)).reason).toBe('ok');
    expect(limited((await begin(account, change)).result).retryAfterMs).toBe(60_000);
  });

  test('is five times as high for an account, over all its keys, as for a key', async () => {
    await setClock(lateNovemberMs);
    const account = await bench.openAccount(1_000_000n);
    const keys = await Promise.all(Array.from({ length: 6 }, (_, index) => addKey(account, index)));
    const reasons = [];
    for (const key of keys) {
      for (let count = 0; count < 2; count += 1) {
        reasons.push((await begin(key, { rateDefaults: perMinute(2) })).result);
      }
    }
    expect(reasons.filter(({ ok }) => ok)).toHaveLength(10);
    expect(limited(reasons.at(-1) ?? { ok: true })).toMatchObject({ scope: 'account', limit: 10 });
  });

  test('is replaced by one set for a key or an account, and 0 means no limit', async () => {
    await setClock(lateNovemberMs);
    const own = { ...noKeyLimits.key, requestsPerMinute: 1 };
    const account = await bench.openAccount(1_000_000n, { key: own });
    expect((await begin(account, { rateDefaults: perMinute(100) })).reason).toBe('ok');
    expect((await begin(account, { rateDefaults: perMinute(100) })).reason).toBe('limited');
    const free = await bench.openAccount(1_000_000n, { key: noRateLimits, account: noRateLimits });
    const outcomes = await Promise.all(Array.from({ length: 50 }, () => begin(free, { rateDefaults: perMinute(1) })));
    expect(outcomes.every(({ reason }) => reason === 'ok')).toBe(true);
    expect(outcomes[0]?.result).toMatchObject({ rates: { requests: undefined, tokens: undefined } });
  });

  test('counts a request that the wallet does not cover, but not its tokens', async () => {
    await setClock(lateNovemberMs);
    const account = await bench.openAccount(100n);
    const change = { rateDefaults: perMinute(3, 1_000), rateTokens: 10 };
    for (const remaining of [2, 1]) {
      const { result } = await begin(account, { ...change, amountNano: nanoUsd(101n) });
      expect(result).toMatchObject({
        reason: 'short',
        rates: { requests: { remaining }, tokens: { remaining: 1_000 } },
      });
    }
    expect((await begin(account, change)).result).toMatchObject({ ok: true, rates: { requests: { remaining: 0 } } });
    expect((await begin(account, { ...change, amountNano: nanoUsd(101n) })).reason).toBe('limited');
  });
});

describe('the limit of tokens per minute', () => {
  test('counts the estimate until the settle reports the actual number', async () => {
    await setClock(lateNovemberMs);
    const account = await bench.openAccount(1_000_000n);
    const change = { rateDefaults: perMinute(0, 1_000), rateTokens: 600 };
    const first = await begin(account, change);
    expect(first.result).toMatchObject({ rates: { tokens: { limit: 1_000, remaining: 400, resetMs: 36_000 } } });
    expect(limited((await begin(account, change)).result)).toMatchObject({ what: 'tokens', retryAfterMs: 12_000 });
    await settle(account, first.requestId, 1n, 50);
    const second = await begin(account, change);
    expect(second.result).toMatchObject({ rates: { tokens: { remaining: 350 } } });
    await settle(account, second.requestId, 1n, 1_000);
    // 1,050 tokens were used, but a limit is exhausted for at most a minute.
    expect(limited((await begin(account, change)).result)).toMatchObject({ what: 'tokens', retryAfterMs: 36_000 });
  });

  test('does not regain on a settle what has drained since the request began', async () => {
    await setClock(lateNovemberMs);
    const account = await bench.openAccount(1_000_000n);
    const change = { rateDefaults: perMinute(0, 1_000), rateTokens: 1_000 };
    const long = await begin(account, change);
    await setClock(lateNovemberMs + 60_000);
    expect((await begin(account, change)).reason).toBe('ok');
    await settle(account, long.requestId, 1n, 0);
    expect((await begin(account, change)).reason).toBe('limited');
  });

  test('regains the tokens of a request that was released', async () => {
    await setClock(lateNovemberMs);
    const account = await bench.openAccount(1_000_000n);
    const change = { rateDefaults: perMinute(0, 1_000), rateTokens: 1_000 };
    const { requestId } = await begin(account, change);
    await wallet.release(heldBy(account, requestId));
    expect((await begin(account, change)).reason).toBe('ok');
  });

  test('is reported to a request that asks for more than the limit', async () => {
    const account = await bench.openAccount(1_000_000n);
    const { result } = await begin(account, { rateDefaults: perMinute(0, 1_000), rateTokens: 1_001 });
    expect(limited(result)).toMatchObject({ what: 'tokens', limit: 1_000, retryAfterMs: 60_000 });
  });
});

describe('the limit of concurrent requests', () => {
  test('is released by every way in which a request can end', async () => {
    await setClock(lateNovemberMs);
    const account = await bench.openAccount(1_000_000n);
    const change = { rateDefaults: perMinute(0, 0, 3) };
    const [one, two, three] = await Promise.all([
      begin(account, change),
      begin(account, change),
      begin(account, change),
    ]);
    expect(limited((await begin(account, change)).result)).toMatchObject({ what: 'streams', limit: 3 });
    await settle(account, one.requestId);
    await settle(account, one.requestId);
    await wallet.release(heldBy(account, two.requestId));
    await wallet.renew(heldBy(account, three.requestId), {
      amountNano: nanoUsd(100n),
      costNano: nanoUsd(5n),
      detail: '{}',
    });
    await setClock(lateNovemberMs + dayMs);
    await expireDue(keeper, account.shard);
    const fields = ['streams', `streams:${account.accountId}`];
    expect(await bench.redis.hmget(walletKeyOf(account), ...fields)).toEqual(['0', '0']);
  });
});
test('requests from before a wallet was restored do not take its concurrency count below zero', async () => {
  await setClock(lateNovemberMs);
  const account = await bench.openAccount(1_000_000n);
  const change = { rateDefaults: perMinute(0, 0, 2) };
  const before = await begin(account, change);
  await bench.redis.del(walletKeyOf(account));
  await bench.hydrate(account.accountId, 1_000_000n);
  const after = await begin(account, change);
  await settle(account, before.requestId);
  await settle(account, after.requestId);
  expect(await bench.redis.hget(walletKeyOf(account), 'streams')).toBe('0');
});

test('the counters of a deleted key are removed', async () => {
  await setClock(lateNovemberMs);
  const account = await bench.openAccount(1_000_000n);
  const { requestId } = await begin(account);
  await settle(account, requestId);
  const fields = [`rate:${account.accountId}`, `streams:${account.accountId}`];
  expect(await bench.redis.hmget(walletKeyOf(account), ...fields)).not.toContain(null);
  const key = { id: account.accountId, accountId: account.accountId, hash: account.keyHash, version: 2 };
  const removed = {
    deleted: true,
    active: false,
    addressProven: true,
    expiresAt: null,
    allowedModels: null,
    limits: noKeyLimits,
  };
  await keeper.publishKey({ ...key, ...removed });
  expect(await bench.redis.hmget(walletKeyOf(account), ...fields)).toEqual([null, null]);
});

test('no rates are returned if there is no limit', async () => {
  const account = await bench.openAccount(1_000n);
  const { result } = await begin(account, { rateDefaults: noRateLimits });
  expect(result).toMatchObject({ ok: true, rates: { requests: undefined, tokens: undefined } });
});

async function addKey(account: TestAccount, index: number): Promise<TestAccount> {
  const keyHash = `${account.keyHash}-${index}`;
  await bench.keeper.publishKey({
    id: account.accountId * 1_000 + index,
    accountId: account.accountId,
    hash: keyHash,
    version: 1,
    deleted: false,
    active: true,
    addressProven: true,
    expiresAt: null,
    allowedModels: null,
    limits: noKeyLimits,
  });
  return { ...account, keyHash };
}
