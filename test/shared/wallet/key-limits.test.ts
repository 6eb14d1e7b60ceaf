/** Limits are judged in the reserve call: exact, whoever asks, and nothing of them is left behind by any way to end. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { nanoUsd } from '../../../shared/money.ts';
import { noKeyLimits } from '../../../shared/wallet/key-limits.ts';
import type { ReserveRefusal } from '../../../shared/wallet/reserve-reply.ts';
import { type Once, type ReserveOrder, Wallet } from '../../../shared/wallet/wallet.ts';
import { WalletKeeper } from '../../../shared/wallet/wallet-keeper.ts';
import { loadWalletScripts } from '../../../shared/wallet/wallet-scripts.ts';
import {
  heldBy,
  noRateLimits,
  orderOf,
  startWalletBench,
  type TestAccount,
  type WalletBench,
} from '../../harness/wallet-bench.ts';

const clockKey = 'test:clock';
const dayMs = 86_400_000;
/** 2026-11-30, half past eleven at night. */
const lateNovemberMs = Date.UTC(2026, 10, 30, 23, 30);

let bench: WalletBench;
let wallet: Wallet;
let keeper: WalletKeeper;

beforeAll(async () => {
  bench = await startWalletBench();
  const scripts = loadWalletScripts((source) =>
    source.replace(
      "local time = redis.call('TIME')\n  return time[1] * 1000 + math.floor(time[2] / 1000)",
      `return tonumber(redis.call('GET', '${clockKey}'))`,
    ),
  );
  wallet = new Wallet(bench.redis, scripts);
  keeper = new WalletKeeper(bench.redis, scripts);
  await setClock(lateNovemberMs);
});

afterAll(() => bench.stop());

const setClock = (nowMs: number) => bench.redis.set(clockKey, String(nowMs));
const perMinute = (requests: number, tokens = 0, streams = 0) => ({
  requestsPerMinute: requests,
  tokensPerMinute: tokens,
  concurrentStreams: streams,
});
const settle = (account: TestAccount, requestId: string, costNano = 1n, tokens = 0) =>
  wallet.settle(heldBy(account, requestId), { costNano: nanoUsd(costNano), detail: '{}', tokens });

/** Reserves, and tells why where it is refused. */
async function begin(account: TestAccount, change: Partial<ReserveOrder> = {}) {
  const order = orderOf(account, change);
  const result = await wallet.reserve(order);
  return { requestId: order.requestId, result, reason: result.ok ? 'ok' : result.reason };
}

function limited(result: { readonly ok: boolean }): Extract<ReserveRefusal, { reason: 'limited' }> {
  expect(result).toMatchObject({ ok: false, reason: 'limited' });
  return result as Extract<ReserveRefusal, { reason: 'limited' }>;
}

describe('requests a minute', () => {
  test('of 300 that come at once from four connections, exactly the limit begins', async () => {
    await setClock(lateNovemberMs);
    const account = await bench.openAccount(1_000_000n);
    const change = { rateDefaults: perMinute(100) };
    const outcomes = await Promise.all(Array.from({ length: 300 }, () => begin(account, change)));
    expect(outcomes.filter(({ reason }) => reason === 'ok')).toHaveLength(100);
    expect(outcomes.filter(({ reason }) => reason === 'limited')).toHaveLength(200);
  });

  test('the window slides: what is less than a minute ago still counts, and the wait that is told is enough', async () => {
    await setClock(lateNovemberMs);
    const account = await bench.openAccount(1_000_000n);
    const change = { rateDefaults: perMinute(10) };
    for (let count = 0; count < 10; count += 1) expect((await begin(account, change)).reason).toBe('ok');
    const { result } = await begin(account, change);
    const refusal = limited(result);
    expect(refusal).toMatchObject({ what: 'requests', scope: 'key', limit: 10, retryAfterMs: 66_000 });
    await setClock(lateNovemberMs + refusal.retryAfterMs - 1);
    expect((await begin(account, change)).reason).toBe('limited');
    await setClock(lateNovemberMs + refusal.retryAfterMs);
    expect((await begin(account, change)).reason).toBe('ok');
    expect((await begin(account, change)).reason).toBe('limited');
    await setClock(lateNovemberMs + 130_000);
    expect((await begin(account, change)).result).toMatchObject({ ok: true, rates: { requests: { limit: 10 } } });
  });

  test('never does a minute see more than the limit and what the evenly spread minute before leaves', async () => {
    const account = await bench.openAccount(1_000_000_000n);
    const limit = 20;
    const granted: number[] = [];
    let now = lateNovemberMs;
    const pauses = fc.sample(fc.integer({ min: 0, max: 9_000 }), { numRuns: 400, seed: 7 });
    for (const pause of pauses) {
      now += pause;
      await setClock(now);
      const { reason } = await begin(account, { rateDefaults: perMinute(limit) });
      if (reason === 'ok') granted.push(now);
    }
    for (const start of granted) {
      const inMinute = granted.filter((at) => at >= start && at < start + 60_000).length;
      expect(inMinute).toBeLessThan(2 * limit);
    }
    const average = granted.length / ((now - lateNovemberMs) / 60_000);
    expect(average).toBeLessThanOrEqual(limit + 1);
  });

  test('an account has five times as much as a key, over all its keys', async () => {
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

  test('what is set for a key or an account takes the place of the default, and 0 is no limit', async () => {
    await setClock(lateNovemberMs);
    const own = { requestsPerMinute: 1, tokensPerMinute: null, concurrentStreams: null };
    const account = await bench.openAccount(1_000_000n, { key: own });
    expect((await begin(account, { rateDefaults: perMinute(100) })).reason).toBe('ok');
    expect((await begin(account, { rateDefaults: perMinute(100) })).reason).toBe('limited');
    const unlimited = { requestsPerMinute: 0, tokensPerMinute: 0, concurrentStreams: 0 };
    const free = await bench.openAccount(1_000_000n, { key: unlimited, account: unlimited });
    const outcomes = await Promise.all(Array.from({ length: 50 }, () => begin(free, { rateDefaults: perMinute(1) })));
    expect(outcomes.every(({ reason }) => reason === 'ok')).toBe(true);
    expect(outcomes[0]?.result).toMatchObject({ rates: { requests: undefined, tokens: undefined } });
  });

  test('a request that is refused for another reason counts for nothing', async () => {
    await setClock(lateNovemberMs);
    const account = await bench.openAccount(100n);
    const change = { rateDefaults: perMinute(2, 1_000), rateTokens: 10 };
    for (let count = 0; count < 5; count += 1) {
      const { result } = await begin(account, { ...change, amountNano: nanoUsd(101n) });
      expect(result).toMatchObject({
        reason: 'short',
        rates: { requests: { remaining: 2 }, tokens: { remaining: 1_000 } },
      });
    }
    expect((await begin(account, change)).result).toMatchObject({ ok: true, rates: { requests: { remaining: 1 } } });
  });
});

describe('tokens a minute', () => {
  test('count as reckoned until the settle tells the real number, also in the next window', async () => {
    await setClock(lateNovemberMs);
    const account = await bench.openAccount(1_000_000n);
    const change = { rateDefaults: perMinute(0, 1_000), rateTokens: 600 };
    const first = await begin(account, change);
    expect(first.result).toMatchObject({ rates: { tokens: { limit: 1_000, remaining: 400, resetMs: 120_000 } } });
    expect(limited((await begin(account, change)).result)).toMatchObject({ what: 'tokens' });
    await settle(account, first.requestId, 1n, 50);
    const second = await begin(account, change);
    expect(second.result).toMatchObject({ rates: { tokens: { remaining: 350 } } });
    await setClock(lateNovemberMs + 60_000);
    await settle(account, second.requestId, 1n, 1_000);
    // 1,050 tokens in the minute that has just ended still count in full.
    expect(limited((await begin(account, change)).result)).toMatchObject({ what: 'tokens' });
    await setClock(lateNovemberMs + 60_000 + 40_000);
    expect((await begin(account, change)).reason).toBe('ok');
  });

  test('a request that came to nothing gives its tokens back', async () => {
    await setClock(lateNovemberMs);
    const account = await bench.openAccount(1_000_000n);
    const change = { rateDefaults: perMinute(0, 1_000), rateTokens: 1_000 };
    const { requestId } = await begin(account, change);
    await wallet.release(heldBy(account, requestId));
    expect((await begin(account, change)).reason).toBe('ok');
  });

  test('one that asks for more than the limit is told so', async () => {
    const account = await bench.openAccount(1_000_000n);
    const { result } = await begin(account, { rateDefaults: perMinute(0, 1_000), rateTokens: 1_001 });
    expect(limited(result)).toMatchObject({ what: 'tokens', limit: 1_000, retryAfterMs: 60_000 });
  });
});

describe('streams at once', () => {
  test('are as many as run: every way to end makes room', async () => {
    await setClock(lateNovemberMs);
    const account = await bench.openAccount(1_000_000n);
    const change = { rateDefaults: perMinute(0, 0, 3), stream: true };
    const [one, two, three] = await Promise.all([
      begin(account, change),
      begin(account, change),
      begin(account, change),
    ]);
    expect(limited((await begin(account, change)).result)).toMatchObject({ what: 'streams', limit: 3 });
    expect((await begin(account, { ...change, stream: false })).reason).toBe('ok');
    await settle(account, one.requestId);
    await settle(account, one.requestId);
    await wallet.release(heldBy(account, two.requestId));
    await wallet.renew(heldBy(account, three.requestId), {
      amountNano: nanoUsd(100n),
      costNano: nanoUsd(5n),
      detail: '{}',
    });
    await setClock(lateNovemberMs + dayMs);
    while ((await keeper.expire(account.shard, 10)) > 0);
    const streams = await bench.redis.hgetall(`{s${account.shard}}:streams:${account.accountId}`);
    expect(streams).toEqual({ account: '0', [String(account.accountId)]: '0' });
  });
});

describe('what a key may spend', () => {
  const limits = { spend: { dayNano: 1_000n, monthNano: 1_500n, totalNano: null } };

  test('holds count, so not even requests at once go beyond it', async () => {
    await setClock(lateNovemberMs);
    const account = await openWithSpend(limits);
    const outcomes = await Promise.all(Array.from({ length: 30 }, () => begin(account)));
    expect(outcomes.filter(({ reason }) => reason === 'ok')).toHaveLength(10);
    expect(outcomes.find(({ result }) => !result.ok)?.result).toMatchObject({
      reason: 'key_short',
      leftNano: 0n,
      period: 'day',
    });
  });

  test('a day and a month of UTC end at midnight; what was spent before counts on in the month', async () => {
    await setClock(lateNovemberMs - dayMs);
    const account = await openWithSpend(limits);
    const { requestId } = await begin(account, { amountNano: nanoUsd(900n) });
    await settle(account, requestId, 900n);
    expect((await begin(account, { amountNano: nanoUsd(101n) })).result).toMatchObject({
      period: 'day',
      leftNano: 100n,
    });
    await setClock(lateNovemberMs);
    expect((await begin(account, { amountNano: nanoUsd(601n) })).result).toMatchObject({
      period: 'month',
      leftNano: 600n,
    });
    await setClock(lateNovemberMs + 30 * 60_000);
    expect((await begin(account, { amountNano: nanoUsd(1_000n) })).reason).toBe('ok');
  });

  test('an output cap that the client left open is lowered to what the key may spend', async () => {
    await setClock(lateNovemberMs);
    const account = await openWithSpend({ spend: { dayNano: null, monthNano: null, totalNano: 60n } });
    const { result } = await begin(account, { lowestCap: 16 });
    expect(result).toMatchObject({ ok: true, outputCap: 60, amountNano: 60n });
  });

  test('whatever ends its requests, at rest nothing is held and the total is what was charged', async () => {
    const endings = ['settle', 'release', 'expire', 'expire, then settle'] as const;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ ending: fc.constantFrom(...endings), cost: fc.bigInt(0n, 100n) }), { maxLength: 12 }),
        async (requests) => {
          await setClock(lateNovemberMs);
          const account = await openWithSpend({ spend: { dayNano: null, monthNano: null, totalNano: 100_000n } });
          let charged = 0n;
          const late: [string, bigint][] = [];
          for (const { ending, cost } of requests) {
            const { requestId } = await begin(account);
            const held = heldBy(account, requestId);
            if (ending === 'release') await wallet.release(held);
            else if (ending === 'settle') await settle(account, requestId, cost);
            else {
              const progress = cost / 2n;
              await wallet.renew(held, { amountNano: nanoUsd(100n), costNano: nanoUsd(progress), detail: '{}' });
              if (ending !== 'expire') late.push([requestId, cost]);
            }
            charged += ending === 'release' ? 0n : ending === 'expire' ? cost / 2n : cost;
          }
          await setClock(lateNovemberMs + dayMs);
          while ((await keeper.expire(account.shard, 100)) > 0);
          for (const [requestId, cost] of late) await settle(account, requestId, cost);
          const spend = await bench.redis.hgetall(`{s${account.shard}}:spend:${account.accountId}`);
          expect(spend).toMatchObject({ held: '0', total: String(charged) });
        },
      ),
      { numRuns: 25 },
    );
  });

  test('is asked of the ledger where Redis does not know it, and anew in a new epoch', async () => {
    await setClock(lateNovemberMs);
    const account = await bench.openAccount(1_000_000n, limits);
    expect((await begin(account)).reason).toBe('wallet_missing');
    const asked = await bench.entries(account);
    expect(asked.at(-1)).toMatchObject({
      kind: 'hydrate',
      account: String(account.accountId),
      key: String(account.accountId),
    });
    await hydrateSpend(account, 950n);
    expect((await begin(account)).result).toMatchObject({ reason: 'key_short', leftNano: 50n });
    await bench.keeper.writeMeta(account.shard, { mode: 'open', epoch: 2, identity: '' });
    expect((await begin(account)).reason).toBe('wallet_missing');
  });
});

describe('an Idempotency-Key', () => {
  const once = (use: string, bodyDigest = 'body'): { once: Once } => ({ once: { use, bodyDigest } });

  test('lets one of many at once begin; the others learn that it is running, and then its answer', async () => {
    await setClock(lateNovemberMs);
    const account = await bench.openAccount(1_000_000n);
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => begin(account, once('first'))));
    expect(outcomes.filter(({ reason }) => reason === 'ok')).toHaveLength(1);
    expect(outcomes.filter(({ reason }) => reason === 'in_progress')).toHaveLength(19);
    const { requestId = '' } = outcomes.find(({ reason }) => reason === 'ok') ?? {};
    const held = { ...heldBy(account, requestId), ...once('first') };
    await wallet.settle(held, { costNano: nanoUsd(7n), detail: '{}', tokens: 1, answer: 'the answer' });
    expect((await begin(account, once('first'))).result).toMatchObject({ reason: 'answered', answer: 'the answer' });
    expect((await begin(account, once('first', 'another'))).reason).toBe('reused');
    expect(await bench.balances(account)).toEqual([999_993n, 0n, 7n]);
  });

  test('is free again where the first request failed or its proxy died', async () => {
    await setClock(lateNovemberMs);
    const account = await bench.openAccount(1_000_000n);
    const first = await begin(account, once('failed'));
    await wallet.release(heldBy(account, first.requestId));
    expect((await begin(account, once('failed'))).reason).toBe('ok');
    await setClock(lateNovemberMs + 200_000);
    while ((await keeper.expire(account.shard, 100)) > 0);
    expect((await begin(account, once('failed'))).reason).toBe('ok');
  });
});

async function openWithSpend(limits: Parameters<WalletBench['openAccount']>[1]): Promise<TestAccount> {
  const account = await bench.openAccount(1_000_000n, limits);
  await hydrateSpend(account, 0n);
  return account;
}

async function hydrateSpend({ accountId }: TestAccount, spentNano: bigint): Promise<void> {
  const now = new Date(Number(await bench.redis.get(clockKey)));
  const month = now.getUTCFullYear() * 100 + now.getUTCMonth() + 1;
  const spent = { dayNano: spentNano, monthNano: spentNano, totalNano: spentNano };
  await keeper.hydrateSpend({ accountId, keyId: accountId, day: Math.floor(now.getTime() / dayMs), month, ...spent });
}

/** Another key of the account. */
async function addKey(account: TestAccount, index: number): Promise<TestAccount> {
  const keyHash = `${account.keyHash}-${index}`;
  await bench.keeper.publishKey({
    id: account.accountId * 1_000 + index,
    accountId: account.accountId,
    hash: keyHash,
    version: 1,
    deleted: false,
    active: true,
    expiresAt: null,
    allowedModels: null,
    limits: noKeyLimits,
  });
  return { ...account, keyHash };
}

test('without any limit no rates are told', async () => {
  const account = await bench.openAccount(1_000n);
  const { result } = await begin(account, { rateDefaults: noRateLimits });
  expect(result).toMatchObject({ ok: true, rates: { requests: undefined, tokens: undefined } });
});
