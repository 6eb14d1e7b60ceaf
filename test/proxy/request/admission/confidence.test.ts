/** When a request may be sent before its hold is confirmed, and that nothing reaches its client before. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { createKey } from '../../../../admin/keys/create-key.ts';
import { deliverOutbox } from '../../../../admin/wallets/deliver-outbox.ts';
import { Confidence, lossMaxNano, pauseMs } from '../../../../proxy/request/admission/confidence.ts';
import { hashKey } from '../../../../shared/keys/api-key.ts';
import { nanoUsd } from '../../../../shared/money.ts';
import type { Reservation } from '../../../../shared/wallet/reserve-reply.ts';
import { shardOfAccount } from '../../../../shared/wallet/shard.ts';
import type { ReserveRequest } from '../../../../shared/wallet/wallet.ts';
import { guardTimeoutMs, readLedger, waitFor } from '../../../harness/account-view.ts';
import { violationsAtRest } from '../../../harness/books.ts';
import { chat, errorCodeOf } from '../../../harness/clients/chat.ts';
import type { Served } from '../../../harness/programs.ts';
import {
  type ScriptedProvider,
  startScriptedProvider,
  wholeResponse,
} from '../../../harness/providers/scripted-provider.ts';
import { testCatalogue } from '../../../harness/providers/test-catalogue.ts';
import { type FaultProxy, startFaultProxy } from '../../../harness/redis/fault-proxy.ts';
import { noRates, reserveRequestOf } from '../../../harness/wallet/wallet-bench.ts';
import { type Harness, startHarness } from '../../../harness.ts';

const account = { accountId: 7, shard: shardOfAccount(7), keyHash: 'hash', identity: 'redis-1' };
const request = (change: Partial<ReserveRequest> = {}): ReserveRequest => reserveRequestOf(account, change);
const reservation = (change: Partial<Reservation> = {}): Reservation => ({
  ...{ ok: true, accountId: 7, keyId: 8, outputCap: 100, amountNano: nanoUsd(100n), epoch: '3' },
  ...{ rates: noRates, streamsLeft: undefined, leftNano: nanoUsd(1_000_000n) },
  ...change,
});

describe('a reason to be confident', () => {
  let nowMs: number;
  let confidence: Confidence;
  beforeEach(() => {
    nowMs = 1_000;
    confidence = new Confidence(() => nowMs);
  });
  const isConfident = (change: Partial<ReserveRequest> = {}) => confidence.begin(request(change)) !== undefined;

  test('is a confirmed reserve of the same key, and its reply is expected again', () => {
    expect(isConfident()).toBe(false);
    confidence.confirm(request(), reservation());
    expect(confidence.begin(request())).toEqual({ accountId: 7, keyId: 8, epoch: '3' });
  });

  test.each<[string, Partial<ReserveRequest>]>([
    ['another key', { keyHash: 'other' }],
    ['another model', { model: 'demo/other' }],
    ['another Redis', { identity: 'redis-2' }],
    ['a request with an Idempotency-Key', { once: { idempotencyKeyDigest: 'd', bodyDigest: 'b' } }],
    ['an amount that what is left does not cover twenty times', { amountNano: nanoUsd(50_001n) }],
  ])('does not exist for %s', (_, change) => {
    confidence.confirm(request(), reservation());
    expect(isConfident(change)).toBe(false);
    expect(isConfident()).toBe(true);
  });

  test.each<[string, Partial<Reservation>]>([
    ['requests', { rates: { ...noRates, requests: { limit: 60, remaining: 19, resetMs: 1 } } }],
    ['tokens', { rates: { ...noRates, tokens: { limit: 60, remaining: 39, resetMs: 1 } } }],
    ['concurrent requests', { streamsLeft: 19 }],
  ])('does not exist near the limit of %s', (_, change) => {
    confidence.confirm(request(), reservation(change));
    expect(isConfident({ rateTokens: 10 })).toBe(false);
  });

  test('ends after five seconds, a refusal, or when another Redis responds', () => {
    confidence.confirm(request(), reservation());
    nowMs += 4_999;
    expect(isConfident()).toBe(true);
    nowMs += 1;
    expect(isConfident()).toBe(false);
    confidence.confirm(request(), reservation());
    confidence.forget(request().keyHash);
    expect(isConfident()).toBe(false);
    confidence.confirm(request(), reservation());
    confidence.clear();
    expect(isConfident()).toBe(false);
  });

  test('counts all unconfirmed requests of the account until each has a reply', () => {
    confidence.confirm(request(), reservation());
    const wanted = { amountNano: nanoUsd(20_000n) };
    const first = confidence.begin(request(wanted));
    expect(isConfident(wanted)).toBe(true);
    expect(isConfident(wanted)).toBe(false);
    expect(confidence.unconfirmedNano).toBe(nanoUsd(40_000n));
    if (first !== undefined) confidence.end(first, request(wanted), 'confirmed');
    expect(isConfident(wanted)).toBe(true);
  });

  test('is limited by the last confirmed balance of any key of the account', () => {
    confidence.confirm(request(), reservation());
    const other = { keyHash: 'other' };
    confidence.confirm(request(other), reservation({ leftNano: nanoUsd(1_999n) }));
    expect(isConfident()).toBe(false);
    confidence.confirm(request(other), reservation());
    expect(isConfident()).toBe(true);
  });

  test('ends for all keys of an account when one is refused, for pauses that grow to an hour', () => {
    const keys = ['hash', 'other'];
    const areConfident = () => {
      for (const keyHash of keys) confidence.confirm(request({ keyHash }), reservation());
      return keys.map((keyHash) => isConfident({ keyHash }));
    };
    const pauses = [60_000, 120_000, 240_000, 480_000, 960_000, 1_920_000, pauseMs.most, pauseMs.most];
    for (const pause of pauses) {
      expect(areConfident()).toEqual([true, true]);
      confidence.refuse('hash', 'short');
      nowMs += pause - 1;
      expect(areConfident()).toEqual([false, false]);
      nowMs += 1;
    }
    nowMs += 86_400_000;
    confidence.confirm(request(), reservation());
    confidence.refuse('hash', 'key_inactive');
    nowMs += pauseMs.least;
    expect(areConfident()).toEqual([true, true]);
  });

  test('survives a repetition of an earlier request', () => {
    for (const keyHash of ['hash', 'other']) confidence.confirm(request({ keyHash }), reservation());
    confidence.refuse('other', 'answered');
    expect(isConfident()).toBe(true);
  });

  test('never risks more than a quarter of a dollar of an account, however much it has', () => {
    confidence.confirm(request(), reservation({ leftNano: nanoUsd(9_000_000_000_000n) }));
    const tenth = { amountNano: nanoUsd(lossMaxNano / 10n) };
    const begun = Array.from({ length: 12 }, () => isConfident(tenth));
    expect(begun.filter(Boolean)).toHaveLength(10);
  });
});

describe('a confident request through the real proxy', () => {
  let harness: Harness;
  let provider: ScriptedProvider;
  let faults: FaultProxy;
  let proxy: Served;
  beforeAll(async () => {
    harness = await startHarness();
    provider = startScriptedProvider();
    await harness.applyCatalogue(`${testCatalogue(provider.baseUrl)}
  - id: test/drained
    kind: chat
    ownedBy: test
    contextTokens: 32768
    maxOutputTokens: 2048
    price: { prompt: "0.50", completion: "1.50" }
    deployments:
      - { provider: scripted, model: upstream-chat, priority: 1 }
      - { provider: scripted, model: upstream-other, priority: 2, onDisconnect: drain }
`);
    await harness.openAdmin();
    const { port } = new URL(harness.redisUrl);
    faults = await startFaultProxy(Number(port));
    proxy = await harness.openProxy({ REDIS_URL: `redis://127.0.0.1:${faults.port}` });
    provider.on('upstream-chat', wholeResponse({ usage: { promptTokens: 9, completionTokens: 5 } }));
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
  const ask = (key: string, model = 'test/chat') => chat(proxy, key, { model, max_tokens: 10 });
  /** Whether a request was sent before its hold was confirmed. */
  async function isSentEarly(proxyKey: string, model?: string): Promise<boolean> {
    const name = 'gateway_confident_requests_total{outcome="confirmed"}';
    const before = await readMetric(name);
    expect((await ask(proxyKey, model)).status).toBe(200);
    return (await readMetric(name)) > before;
  }

  test('is sent to the provider before Redis replies, and the client waits for Redis', async () => {
    const { proxyKey, accountId } = await harness.createCustomer({ usd: '5' });
    expect((await ask(proxyKey)).status).toBe(200);
    const before = provider.requests.length;
    faults.holdReplies();
    let responded = false;
    const response = ask(proxyKey).then((response) => {
      responded = true;
      return response;
    });
    await waitFor('the provider to be asked', guardTimeoutMs, async () => provider.requests.length === before + 1);
    await waitFor(
      'the provider to have answered',
      guardTimeoutMs,
      async () => provider.requests.at(-1)?.ended === true,
    );
    expect(responded).toBe(false);
    faults.heal();
    expect((await response).status).toBe(200);
    expect(await violationsAtRest(harness, [accountId])).toEqual([]);
    expect((await readLedger(harness, accountId)).spentNano).toBe(2n * costNano);
  });

  test('a confident request of a just deactivated key is refused, aborted at the provider, and not charged', async () => {
    const { proxyKey, accountId } = await harness.createCustomer({ usd: '5' });
    expect((await ask(proxyKey)).status).toBe(200);
    const released = Promise.withResolvers<void>();
    provider.on('upstream-chat', async (truth, request) => {
      await Promise.race([
        released.promise,
        new Promise((resolve) => request.signal.addEventListener('abort', resolve)),
      ]);
      return wholeResponse({ usage: { promptTokens: 9, completionTokens: 5 } })(truth, request);
    });
    await harness.redis.hset(keyRecordOf(accountId, proxyKey), 'active', '0');
    const before = provider.requests.length;
    // Otherwise Redis might reply before the provider has the request.
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

  test('is not possible for another key of an account with a refused key, and the loss is shown', async () => {
    const { proxyKey, accountId } = await harness.createCustomer({ usd: '5' });
    const { database, keeper } = harness;
    const options = { accountId, kind: 'proxy', name: 'second', expiresAt: null } as const;
    const second = await createKey(database.db, harness.keyPepper, options);
    await deliverOutbox({ sql: database.sql, keeper }, accountId);
    for (const each of [proxyKey, second.key]) expect((await ask(each)).status).toBe(200);
    expect(await isSentEarly(proxyKey)).toBe(true);
    await harness.redis.hset(keyRecordOf(accountId, second.key), 'active', '0');
    const lost = await readMetric('gateway_confident_lost_usd_total');
    expect((await ask(second.key)).status).toBe(403);
    expect(await readMetric('gateway_confident_lost_usd_total')).toBeGreaterThan(lost);
    for (let time = 0; time < 2; time += 1) expect(await isSentEarly(proxyKey)).toBe(false);
  });

  test('is not possible for a model whose provider bills aborted requests', async () => {
    const { proxyKey } = await harness.createCustomer({ usd: '5' });
    expect((await ask(proxyKey, 'test/drained')).status).toBe(200);
    expect(await isSentEarly(proxyKey, 'test/drained')).toBe(false);
  });

  async function readMetric(name: string): Promise<number> {
    const text = await (await fetch(`${proxy.url}/metrics`)).text();
    const line = text.split('\n').find((each) => each.startsWith(`${name} `));
    return Number(line?.slice(name.length + 1));
  }
});
