/** When a request may be sent before its hold is confirmed, and that nothing reaches its client before. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { Confidence, exposureMaxNano } from '../../../proxy/admission/confidence.ts';
import { hashKey } from '../../../shared/keys/api-key.ts';
import { nanoUsd } from '../../../shared/money.ts';
import type { Reservation } from '../../../shared/wallet/reserve-reply.ts';
import { shardOfAccount } from '../../../shared/wallet/shard.ts';
import type { ReserveOrder } from '../../../shared/wallet/wallet.ts';
import { guardTimeoutMs, readLedger, waitFor } from '../../harness/account-view.ts';
import { violationsAtRest } from '../../harness/books.ts';
import { chat, errorCodeOf } from '../../harness/clients/chat.ts';
import type { Program } from '../../harness/programs.ts';
import {
  answerWhole,
  type ScriptedProvider,
  startScriptedProvider,
} from '../../harness/providers/scripted-provider.ts';
import { testCatalogue } from '../../harness/providers/test-catalogue.ts';
import { type FaultProxy, startFaultProxy } from '../../harness/redis/fault-proxy.ts';
import { orderOf } from '../../harness/wallet/wallet-bench.ts';
import { type Harness, startHarness } from '../../harness.ts';

const account = { accountId: 7, shard: shardOfAccount(7), keyHash: 'hash', identity: 'redis-1' };
const order = (change: Partial<ReserveOrder> = {}): ReserveOrder => orderOf(account, change);
const reservation = (change: Partial<Reservation> = {}): Reservation => ({
  ...{ ok: true, accountId: 7, keyId: 8, outputCap: 100, amountNano: nanoUsd(100n), epoch: '3' },
  ...{ rates: { requests: undefined, tokens: undefined }, streamsLeft: undefined, leftNano: nanoUsd(1_000_000n) },
  ...change,
});

describe('a reason to be confident', () => {
  let nowMs: number;
  let confidence: Confidence;
  beforeEach(() => {
    nowMs = 1_000;
    confidence = new Confidence(() => nowMs);
  });
  const isConfident = (change: Partial<ReserveOrder> = {}) => confidence.begin(order(change)) !== undefined;

  test('is a confirmed reserve of the same key, and what it told is expected again', () => {
    expect(isConfident()).toBe(false);
    confidence.confirm(order(), reservation());
    expect(confidence.begin(order())).toEqual({ accountId: 7, keyId: 8, epoch: '3' });
  });

  test.each<[string, Partial<ReserveOrder>]>([
    ['another key', { keyHash: 'other' }],
    ['another model', { model: 'demo/other' }],
    ['another Redis', { identity: 'redis-2' }],
    ['a request with an Idempotency-Key', { once: { idempotencyKeyDigest: 'd', bodyDigest: 'b' } }],
    ['an amount that what is left does not cover twenty times', { amountNano: nanoUsd(50_001n) }],
  ])('is not there for %s', (_, change) => {
    confidence.confirm(order(), reservation());
    expect(isConfident(change)).toBe(false);
    expect(isConfident()).toBe(true);
  });

  test.each<[string, Partial<Reservation>]>([
    ['requests', { rates: { requests: { limit: 60, remaining: 19, resetMs: 1 }, tokens: undefined } }],
    ['tokens', { rates: { requests: undefined, tokens: { limit: 60, remaining: 39, resetMs: 1 } } }],
    ['requests at once', { streamsLeft: 19 }],
  ])('is not there where the limit of %s is near', (_, change) => {
    confidence.confirm(order(), reservation(change));
    expect(isConfident({ rateTokens: 10 })).toBe(false);
  });

  test('is over after five seconds, a refusal, or when another Redis answers', () => {
    confidence.confirm(order(), reservation());
    nowMs += 4_999;
    expect(isConfident()).toBe(true);
    nowMs += 1;
    expect(isConfident()).toBe(false);
    confidence.confirm(order(), reservation());
    confidence.forget(order().keyHash);
    expect(isConfident()).toBe(false);
    confidence.confirm(order(), reservation());
    confidence.clear();
    expect(isConfident()).toBe(false);
  });

  test('counts all requests of the account that are unconfirmed, until each is answered', () => {
    confidence.confirm(order(), reservation());
    const wanted = { amountNano: nanoUsd(20_000n) };
    const first = confidence.begin(order(wanted));
    expect(isConfident(wanted)).toBe(true);
    expect(isConfident(wanted)).toBe(false);
    expect(confidence.unconfirmedNano).toBe(nanoUsd(40_000n));
    if (first !== undefined) confidence.end(first, order(wanted), 'confirmed');
    expect(isConfident(wanted)).toBe(true);
  });

  test('never puts more than a dollar of an account at stake, however much it has', () => {
    confidence.confirm(order(), reservation({ leftNano: nanoUsd(9_000_000_000_000n) }));
    const tenth = { amountNano: nanoUsd(exposureMaxNano / 10n) };
    const begun = Array.from({ length: 12 }, () => isConfident(tenth));
    expect(begun.filter(Boolean)).toHaveLength(10);
  });
});

describe('through the real proxy', () => {
  let harness: Harness;
  let provider: ScriptedProvider;
  let faults: FaultProxy;
  let proxy: Program;
  beforeAll(async () => {
    harness = await startHarness();
    provider = startScriptedProvider();
    await harness.applyCatalogue(testCatalogue(provider.baseUrl));
    await harness.startAdmin();
    const { port } = new URL(harness.redisUrl);
    faults = await startFaultProxy(Number(port));
    proxy = await harness.startProxy({ REDIS_URL: `redis://127.0.0.1:${faults.port}` });
    provider.on('upstream-chat', answerWhole({ usage: { promptTokens: 9, completionTokens: 5 } }));
  });
  afterAll(async () => {
    faults.heal();
    await provider.stop();
    await harness.stop();
    await faults.stop();
  });
  /** 9 tokens at 0.6 and 5 at 1.8 micro-dollars. */
  const costNano = 14_400n;
  const keyRecordOf = (accountId: number, key: string) =>
    `{s${shardOfAccount(accountId)}}:key:${hashKey(key, harness.keyPepper)}`;
  const ask = (key: string) => chat(proxy, key, { model: 'test/chat', max_tokens: 10 });

  test('the provider is asked while Redis has not answered, and the client waits for Redis', async () => {
    const { proxyKey, accountId } = await harness.createCustomer({ usd: '5' });
    expect((await ask(proxyKey)).status).toBe(200);
    const before = provider.requests.length;
    faults.holdReplies();
    let answered = false;
    const answer = ask(proxyKey).then((response) => {
      answered = true;
      return response;
    });
    await waitFor('the provider to be asked', guardTimeoutMs, async () => provider.requests.length === before + 1);
    await waitFor(
      'the provider to have answered',
      guardTimeoutMs,
      async () => provider.requests.at(-1)?.ended === true,
    );
    expect(answered).toBe(false);
    faults.heal();
    expect((await answer).status).toBe(200);
    expect(await violationsAtRest(harness, [accountId])).toEqual([]);
    expect((await readLedger(harness, accountId)).spentNano).toBe(2n * costNano);
  });

  test('a key that was just deactivated is refused, its provider is aborted, and nothing is charged', async () => {
    const { proxyKey, accountId } = await harness.createCustomer({ usd: '5' });
    expect((await ask(proxyKey)).status).toBe(200);
    const released = Promise.withResolvers<void>();
    provider.on('upstream-chat', async (truth, request) => {
      await Promise.race([
        released.promise,
        new Promise((resolve) => request.signal.addEventListener('abort', resolve)),
      ]);
      return answerWhole({ usage: { promptTokens: 9, completionTokens: 5 } })(truth, request);
    });
    await harness.redis.hset(keyRecordOf(accountId, proxyKey), 'active', '0');
    const before = provider.requests.length;
    // Otherwise Redis might answer before the provider has the request.
    faults.holdReplies();
    const refused = ask(proxyKey);
    await waitFor('the provider to be asked', guardTimeoutMs, async () => provider.requests.length === before + 1);
    faults.heal();
    const response = await refused;
    expect([response.status, await errorCodeOf(response)]).toEqual([403, 'key_deactivated']);
    await waitFor('the provider to be aborted', guardTimeoutMs, async () => provider.requests.at(-1)?.aborted === true);
    released.resolve();
    expect(await violationsAtRest(harness, [accountId])).toEqual([]);
    expect((await readLedger(harness, accountId)).spentNano).toBe(costNano);
  });
});
