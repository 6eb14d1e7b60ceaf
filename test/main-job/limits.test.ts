/** Limits from the customer's view: across two replicas, in headers and errors, and set through the API. */
import { afterAll, describe, expect, test } from 'bun:test';
import type { ErrorBody } from '../../shared/errors.ts';
import { guardTimeoutMs, readLedger, waitFor } from '../harness/account-view.ts';
import { chat, errorCodeOf } from '../harness/clients/chat.ts';
import type { Customer } from '../harness/customers.ts';
import { startGateway } from '../harness/gateway.ts';
import { failWith, hang, streamedResponse, wholeResponse } from '../harness/providers/scripted-provider.ts';

const { harness, provider, admin, proxy, stop } = await startGateway();
const replica = await harness.openProxy();

afterAll(stop);

const usage = { promptTokens: 10, completionTokens: 5 };
/** 10 × 0.60 + 5 × 1.80 USD per million tokens. */
const costNano = 15_000n;
const whole = { model: 'test/chat', max_tokens: 20 };

/** A key with these limits, created with the customer's billing key. */
async function keyWith(customer: Customer, limits: object): Promise<string> {
  const response = await fetch(`${admin.url}/api/keys`, {
    method: 'POST',
    headers: { authorization: `Bearer ${customer.billingKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'limited', limits }),
  });
  expect(response.status).toBe(201);
  const { key } = (await response.json()) as { key: string };
  await waitFor('the key', guardTimeoutMs, async () => (await chat(proxy, key, { model: 'test/none' })).status !== 401);
  return key;
}

describe('the limit of requests per minute', () => {
  test('serves exactly 3 of 40 requests over two replicas, and the others get a Retry-After', async () => {
    provider.on('upstream-chat', wholeResponse({ usage }));
    const customer = await harness.createCustomer({ usd: '5' });
    // One more every 20 seconds, within which the 40 requests end.
    const key = await keyWith(customer, { rateLimits: { requestsPerMinute: 3 } });
    const responses = await Promise.all(
      Array.from({ length: 40 }, (_, index) => chat(index % 2 === 0 ? proxy : replica, key, whole)),
    );
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(3);
    const refused = responses.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(37);
    for (const response of refused) {
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
      expect(response.headers.get('x-ratelimit-limit-requests')).toBe('3');
      expect(response.headers.get('x-ratelimit-remaining-requests')).toBe('0');
      expect(await errorCodeOf(response)).toBe('rate_limit_exceeded');
    }
    expect((await chat(proxy, customer.proxyKey, whole)).status).toBe(200);
  });
});

test('a response has the remaining requests and tokens, counting the tokens actually used', async () => {
  provider.on('upstream-chat', wholeResponse({ usage }));
  const customer = await harness.createCustomer({ usd: '5' });
  // One more request every 20 seconds, and ten more tokens every second.
  const key = await keyWith(customer, { rateLimits: { requestsPerMinute: 3, tokensPerMinute: 600 } });
  provider.on('upstream-chat', wholeResponse({ usage: { promptTokens: 10, completionTokens: 190 } }));
  await (await chat(proxy, key, { ...whole, max_tokens: 250 })).text();
  await waitFor(
    'the settle',
    guardTimeoutMs,
    async () => (await harness.keeper.readWallet(customer.accountId))?.heldNano === 0n,
  );
  const { headers } = await chat(proxy, key, { ...whole, max_tokens: 250 });
  expect(headers.get('x-ratelimit-limit-requests')).toBe('3');
  expect(headers.get('x-ratelimit-remaining-requests')).toBe('1');
  expect(headers.get('x-ratelimit-reset-requests')).toMatch(/^\d+(\.\d+)?s$/);
  expect(headers.get('x-ratelimit-limit-tokens')).toBe('600');
  // 200 for the first request instead of its cap, and the cap of the second with an estimate of its short prompt.
  const remaining = Number(headers.get('x-ratelimit-remaining-tokens'));
  expect(remaining).toBeGreaterThan(600 - 200 - 250 - 50);
  expect(remaining).toBeLessThan(600 - 250);
});

test('a cap above the model’s limit counts as the model’s limit', async () => {
  provider.on('upstream-chat', wholeResponse({ usage }));
  const customer = await harness.createCustomer({ usd: '5' });
  const key = await keyWith(customer, { rateLimits: { tokensPerMinute: 10_000 } });
  for (const [max_tokens, n] of [
    [2_147_483_647, 1],
    [Number.MAX_SAFE_INTEGER, 4],
  ]) {
    const response = await chat(proxy, key, { model: 'test/chat', max_tokens, n });
    expect([response.status, await response.text()]).toEqual([200, expect.any(String)]);
  }
});

test('streams above a key’s limit are refused until one of them ends', async () => {
  provider.on('upstream-chat', streamedResponse({ tokens: 1_000, delayMs: 50 }));
  const customer = await harness.createCustomer({ usd: '5' });
  const key = await keyWith(customer, { rateLimits: { concurrentStreams: 2 } });
  const leaving = new AbortController();
  const stream = { model: 'test/chat', stream: true };
  const first = await chat(proxy, key, stream, { signal: leaving.signal });
  const second = await chat(replica, key, stream);
  expect([first.status, second.status]).toEqual([200, 200]);
  const third = await chat(proxy, key, stream);
  expect(third.status).toBe(429);
  leaving.abort();
  const fourth = await waitFor('room for a stream', guardTimeoutMs, async () => {
    const response = await chat(replica, key, stream);
    return response.status === 200 && response;
  });
  await Promise.all([second.body?.cancel(), fourth.body?.cancel()]);
});

test('whole responses count as concurrent requests like streams, over all replicas', async () => {
  const customer = await harness.createCustomer({ usd: '5' });
  const key = await keyWith(customer, { rateLimits: { concurrentStreams: 2 } });
  const release = Promise.withResolvers<void>();
  provider.on('upstream-chat', async (truth, request) => {
    await release.promise;
    return wholeResponse({ usage })(truth, request);
  });
  const requestsBefore = provider.requests.length;
  const running = [proxy, replica].map((target) => chat(target, key, whole));
  await waitFor('both upstream', guardTimeoutMs, async () => provider.requests.length === requestsBefore + 2);
  for (const body of [whole, { ...whole, stream: true }]) {
    const refused = await chat(proxy, key, body);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
    expect(((await refused.json()) as ErrorBody).error.message).toContain('2 concurrent requests');
  }
  release.resolve();
  expect((await Promise.all(running)).map(({ status }) => status)).toEqual([200, 200]);
  // Once the response has arrived, there is room again.
  expect((await chat(replica, key, whole)).status).toBe(200);
});

test('a key spends no more than its limit, which the error names, and other keys still work', async () => {
  provider.on('upstream-chat', wholeResponse({ usage }));
  const customer = await harness.createCustomer({ usd: '5' });
  const key = await keyWith(customer, { spendLimits: { total: '0.0001', month: '1' } });
  const responses = await Promise.all(
    Array.from({ length: 12 }, (_, index) => chat(index % 2 === 0 ? proxy : replica, key, { ...whole, max_tokens: 5 })),
  );
  const refused = responses.filter(({ status }) => status === 403);
  expect(refused.length).toBeGreaterThan(0);
  const [body] = await Promise.all(refused.map((response) => response.json() as Promise<ErrorBody>));
  const error = body?.error;
  expect(error?.code).toBe('key_limit_exceeded');
  expect(error?.message).toContain('more in total');
  expect((await chat(proxy, customer.proxyKey, whole)).status).toBe(200);
  const served = BigInt(responses.length - refused.length);
  await waitFor('the charges', guardTimeoutMs, async () => {
    const { spentNano } = await readLedger(harness, customer.accountId);
    return spentNano === (served + 1n) * costNano;
  });
  expect(served * costNano).toBeLessThanOrEqual(100_000n);
});

describe('a request with an Idempotency-Key', () => {
  const ask = (target: typeof proxy, key: string, use: string, body: object = whole) =>
    fetch(`${target.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'idempotency-key': use },
      body: JSON.stringify({ messages: [{ role: 'user', content: 'Hello?' }], ...body }),
    });

  test('gets the first response when repeated, from any replica, and is not charged again', async () => {
    provider.on('upstream-chat', wholeResponse({ content: 'Once.', usage }));
    const customer = await harness.createCustomer({ usd: '5' });
    const first = await ask(proxy, customer.proxyKey, 'order-1');
    const body = await first.text();
    const requestsBefore = provider.requests.length;
    const again = await ask(replica, customer.proxyKey, 'order-1');
    expect(again.status).toBe(200);
    expect(await again.text()).toBe(body);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(again.headers.get('x-original-request-id')).toBe(first.headers.get('x-request-id'));
    expect(again.headers.get('x-request-id')).not.toBe(first.headers.get('x-request-id'));
    expect(again.headers.get('x-cost-usd')).toBe('0.000015');
    expect(provider.requests.length).toBe(requestsBefore);

    const other = await ask(proxy, customer.proxyKey, 'order-1', { ...whole, temperature: 1 });
    expect([other.status, await errorCodeOf(other)]).toEqual([422, 'idempotency_key_reused']);
    const stranger = await harness.createCustomer({ usd: '5' });
    const own = await ask(proxy, stranger.proxyKey, 'order-1');
    expect(own.headers.get('idempotent-replayed')).toBeNull();
    await waitFor('one charge', guardTimeoutMs, async () => {
      const { spentNano } = await readLedger(harness, customer.accountId);
      return spentNano === costNano;
    });
  });

  test('is a 409 while the first one runs, and can be repeated if that fails', async () => {
    provider.on('upstream-chat', hang);
    const customer = await harness.createCustomer({ usd: '5' });
    const requestsBefore = provider.requests.length;
    const leaving = new AbortController();
    const first = fetch(`${proxy.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${customer.proxyKey}`, 'idempotency-key': 'order-2' },
      body: JSON.stringify({ messages: [{ role: 'user', content: 'Hello?' }], ...whole }),
      signal: leaving.signal,
    }).catch(() => 'left');
    await waitFor('the first request', guardTimeoutMs, async () => provider.requests.length > requestsBefore);
    const second = await ask(replica, customer.proxyKey, 'order-2');
    expect([second.status, await errorCodeOf(second)]).toEqual([409, 'idempotency_in_progress']);
    leaving.abort();
    expect(await first).toBe('left');

    provider.on('upstream-chat', failWith(400, 'no'));
    expect((await ask(proxy, customer.proxyKey, 'order-3')).status).toBe(400);
    provider.on('upstream-chat', wholeResponse({ usage }));
    expect((await ask(proxy, customer.proxyKey, 'order-3')).status).toBe(200);
  });

  test('is not charged twice even if its response is too large to be stored', async () => {
    provider.on('upstream-chat', wholeResponse({ content: 'x'.repeat(1_100_000), usage }));
    const customer = await harness.createCustomer({ usd: '5' });
    expect((await ask(proxy, customer.proxyKey, 'order-4')).status).toBe(200);
    const again = await ask(proxy, customer.proxyKey, 'order-4');
    expect([again.status, await errorCodeOf(again)]).toEqual([409, 'idempotency_answer_gone']);
  });

  test('is refused if the key is malformed, while a stream ignores the key', async () => {
    const customer = await harness.createCustomer({ usd: '5' });
    const long = await ask(proxy, customer.proxyKey, 'x'.repeat(256));
    expect([long.status, await errorCodeOf(long)]).toEqual([400, 'invalid_parameter']);
    provider.on('upstream-chat', streamedResponse({ tokens: 2 }));
    for (let count = 0; count < 2; count += 1) {
      const response = await ask(proxy, customer.proxyKey, 'order-5', { model: 'test/chat', stream: true });
      expect(response.headers.get('idempotent-replayed')).toBeNull();
      expect(await response.text()).toContain('[DONE]');
    }
  });
});

test('the list of models is not sent again to clients with its ETag', async () => {
  const first = await fetch(`${proxy.url}/v1/models`);
  const etag = first.headers.get('etag') ?? '';
  expect(etag).toMatch(/^"[\w-]+"$/);
  expect((await fetch(`${replica.url}/v1/models`)).headers.get('etag')).toBe(etag);
  for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
    const again = await fetch(`${proxy.url}/v1/models`, { headers: { 'if-none-match': known } });
    expect([again.status, await again.text()]).toEqual([304, '']);
  }
  expect((await fetch(`${proxy.url}/v1/models`, { headers: { 'if-none-match': '"other"' } })).status).toBe(200);
});
