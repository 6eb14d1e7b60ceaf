/** What protects balances when others misbehave: a provider that ignores its cap, a Redis that runs full. */
import { afterAll, beforeEach, expect, test } from 'bun:test';
import { guardTimeoutMs, readLedger, waitFor } from '../harness/account-view.ts';
import { violationsAtRest } from '../harness/books.ts';
import { chat, errorCodeOf } from '../harness/clients/chat.ts';
import { startGateway } from '../harness/gateway.ts';
import { streamedResponse, wholeResponse } from '../harness/providers/scripted-provider.ts';
import { usualPatience } from '../harness/redis/patience.ts';

const { harness, provider, proxy, stop } = await startGateway({ proxyEnvironment: usualPatience });

// A Redis that was silent for long was disconnected, and is connected again. A new customer's request has to ask it.
beforeEach(async () => {
  const { proxyKey } = await harness.createCustomer({ usd: '1' });
  provider.on('upstream-priced', wholeResponse({ usage: { promptTokens: 1, completionTokens: 1 } }));
  await waitFor('the proxy to reach Redis', guardTimeoutMs, async () => {
    const isReady = (await fetch(`${proxy.url}/readyz`)).ok;
    return isReady && (await chat(proxy, proxyKey, request)).status === 200;
  });
});
afterAll(stop);

/** 10 micro-dollars for each output token. */
const request = { model: 'test/priced-output', max_tokens: 100 };
const tokenNano = 10_000n;

test('output that outruns its hold is held and paid for while the balance covers it', async () => {
  const customer = await harness.createCustomer({ usd: '1' });
  provider.on('upstream-priced', streamedResponse({ tokens: 700 }));
  const text = await (await chat(proxy, customer.proxyKey, { ...request, stream: true })).text();
  expect(text).toContain('"699"');
  expect(await violationsAtRest(harness, [customer.accountId])).toEqual([]);
  expect((await readLedger(harness, customer.accountId)).spentNano).toBe(700n * tokenNano);
});

test('output that outruns the balance ends with finish_reason length and takes nothing below zero', async () => {
  const customer = await harness.createCustomer({ usd: '0.0025' });
  provider.on('upstream-priced', streamedResponse({ tokens: 5_000, delayMs: 1 }));
  const response = await chat(proxy, customer.proxyKey, {
    ...request,
    stream: true,
    stream_options: { include_usage: true },
  });
  const events = (await response.text()).trim().split('\n\n');
  expect(events.at(-1)).toBe('data: [DONE]');
  expect(JSON.parse(events.at(-3)?.slice(6) ?? '')).toMatchObject({ choices: [{ finish_reason: 'length' }] });
  const { usage } = JSON.parse(events.at(-2)?.slice(6) ?? '') as { usage: { completion_tokens: number } };
  await waitFor('the abort upstream', guardTimeoutMs, async () => provider.requests.at(-1)?.aborted === true);
  expect(await violationsAtRest(harness, [customer.accountId])).toEqual([]);
  const { balanceNano, spentNano } = await readLedger(harness, customer.accountId);
  expect(balanceNano).toBeGreaterThanOrEqual(0n);
  expect(spentNano).toBe(BigInt(usage.completion_tokens) * tokenNano);
  expect(spentNano).toBeGreaterThanOrEqual(100n * tokenNano);
});

test('output that outruns its hold while Redis is silent ends with an error and is charged so far', async () => {
  const customer = await harness.createCustomer({ usd: '1' });
  provider.on('upstream-priced', streamedResponse({ tokens: 5_000, delayMs: 1 }));
  const response = await chat(proxy, customer.proxyKey, { ...request, stream: true });
  await harness.redis.call('CLIENT', 'PAUSE', '60000', 'WRITE');
  const reading = response.text();
  await waitFor('the abort upstream', guardTimeoutMs, async () => provider.requests.at(-1)?.aborted === true);
  await harness.redis.call('CLIENT', 'UNPAUSE');
  const text = await reading;
  expect(JSON.parse(text.trim().split('\n\n').at(-1)?.slice(6) ?? '')).toMatchObject({
    error: { code: 'wallet_unavailable' },
  });
  expect(await violationsAtRest(harness, [customer.accountId])).toEqual([]);
  const { spentNano } = await readLedger(harness, customer.accountId);
  const received = BigInt(text.match(/"content":"\d{3}"/g)?.length ?? 0) * tokenNano;
  // Output is estimated by length, so it may outrun the hold by a little, which is not charged.
  expect(spentNano).toBeLessThanOrEqual(received);
  expect(spentNano).toBeGreaterThanOrEqual((received * 8n) / 10n);
});

test('a chunk that outruns its hold while Redis is silent is neither delivered nor charged', async () => {
  const customer = await harness.createCustomer({ usd: '1' });
  const isPaused = Promise.withResolvers<void>();
  // The hold covers 100 tokens, and the chunk begins below that.
  provider.on('upstream-priced', streamedResponse({ tokens: 150, burst: { tokens: 90, when: isPaused.promise } }));
  const response = await chat(proxy, customer.proxyKey, { ...request, stream: true });
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let text = '';
  const readUntil = async (end: string) => {
    for (let read = await reader?.read(); read !== undefined && !read.done; read = await reader?.read()) {
      text += decoder.decode(read.value, { stream: true });
      if (text.includes(end)) return;
    }
  };
  await readUntil('"089"');
  await harness.redis.call('CLIENT', 'PAUSE', '60000', 'WRITE');
  isPaused.resolve();
  await waitFor('the abort upstream', guardTimeoutMs, async () => provider.requests.at(-1)?.aborted === true);
  await harness.redis.call('CLIENT', 'UNPAUSE');
  await readUntil('never');
  expect(text).toContain('wallet_unavailable');
  expect(text).not.toContain('"090"');
  expect(await violationsAtRest(harness, [customer.accountId])).toEqual([]);
  expect((await readLedger(harness, customer.accountId)).spentNano).toBe(90n * tokenNano);
});

test('a whole response above its hold takes nothing below zero, and the rest is recorded as uncharged', async () => {
  const customer = await harness.createCustomer({ usd: '0.0015' });
  provider.on('upstream-priced', wholeResponse({ usage: { promptTokens: 1, completionTokens: 900 } }));
  expect((await chat(proxy, customer.proxyKey, request)).status).toBe(200);
  expect(await violationsAtRest(harness, [customer.accountId])).toEqual([]);
  expect((await readLedger(harness, customer.accountId)).balanceNano).toBe(0n);
  const [event] = await harness.database.sql`
    SELECT cost_nano, uncharged_nano FROM usage_events WHERE account_id = ${customer.accountId}`;
  expect(event).toMatchObject({ cost_nano: '1500000', uncharged_nano: '7500000' });
});

test('new requests are refused while Redis uses 90 % of its memory, and running ones are settled', async () => {
  const customer = await harness.createCustomer({ usd: '1' });
  provider.on('upstream-priced', streamedResponse({ tokens: 100, delayMs: 40 }));
  const running = await chat(proxy, customer.proxyKey, { ...request, stream: true });
  provider.on('upstream-priced', wholeResponse({ usage: { promptTokens: 1, completionTokens: 100 } }));
  const refused = await waitFor('a refusal', guardTimeoutMs, async () => {
    // Each time, because the memory in use may have fallen since.
    const used = Number(/used_memory:(\d+)/.exec(await harness.redis.info('memory'))?.[1]);
    await harness.redis.config('SET', 'maxmemory', String(Math.floor(used * 1.05)));
    const response = await chat(proxy, customer.proxyKey, request);
    return response.status === 503 && response;
  });
  expect(await errorCodeOf(refused)).toBe('wallet_unavailable');
  expect((await fetch(`${proxy.url}/readyz`)).status).toBe(503);
  expect(await running.text()).toEndWith('data: [DONE]\n\n');

  await harness.redis.config('SET', 'maxmemory', '0');
  await waitFor(
    'the proxy to serve again',
    guardTimeoutMs,
    async () => (await chat(proxy, customer.proxyKey, request)).status === 200,
  );
  expect(await violationsAtRest(harness, [customer.accountId])).toEqual([]);
});
