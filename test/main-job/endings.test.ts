/** However a request ends, only delivered output is charged: the client leaves, the provider fails. */
import { afterAll, describe, expect, test } from 'bun:test';
import { eventOf } from '../../local/demo-provider/event-stream.ts';
import { guardTimeoutMs, waitFor } from '../harness/account-view.ts';
import { spentAtRest as settled } from '../harness/books.ts';
import { chat, errorCodeOf } from '../harness/clients/chat.ts';
import { startProxyProgram } from '../harness/gateway.ts';
import { chunkOf } from '../harness/providers/chunks.ts';
import { Gigabyte } from '../harness/providers/gigabyte.ts';
import {
  type Behaviour,
  eventStream,
  failWith,
  hang,
  rawResponse,
  streamedResponse,
  wholeResponse,
  wordOf,
} from '../harness/providers/scripted-provider.ts';

const { harness, provider, proxy, stop } = await startProxyProgram();

afterAll(stop);

const streamed = { model: 'test/priced-output', stream: true, max_tokens: 1000 };
/** 10 micro-dollars. */
const tokenNano = 10_000n;

const spentAtRest = (accountId: number) => settled(harness, accountId);

test('a client that hangs up in mid-stream aborts the provider and pays for what was delivered', async () => {
  const customer = await harness.createCustomer({ usd: '1' });
  provider.on('upstream-priced', streamedResponse({ tokens: 1000, delayMs: 5 }));
  const controller = new AbortController();
  const response = await chat(proxy, customer.proxyKey, streamed, { signal: controller.signal });
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let received = '';
  while (!received.includes('"020"')) received += decoder.decode((await reader?.read())?.value);
  controller.abort();

  const truth = provider.requests.at(-1);
  await waitFor('the abort upstream', guardTimeoutMs, async () => truth?.aborted === true);
  const spent = await spentAtRest(customer.accountId);
  expect(spent).toBeGreaterThanOrEqual(21n * tokenNano);
  expect(spent).toBeLessThanOrEqual(BigInt(truth?.deliveredTokens ?? 0) * tokenNano);
});

test('a client that hangs up before its stream aborts the provider and pays no more than the prompt', async () => {
  const customer = await harness.createCustomer({ usd: '1' });
  provider.on('upstream-chat', hang);
  const controller = new AbortController();
  const requestsBefore = provider.requests.length;
  const response = chat(proxy, customer.proxyKey, { model: 'test/chat', stream: true }, { signal: controller.signal });
  await waitFor('the request upstream', guardTimeoutMs, async () => provider.requests.length > requestsBefore);
  controller.abort();
  await expect(response).rejects.toThrow();
  await waitFor('the abort upstream', guardTimeoutMs, async () => provider.requests.at(-1)?.aborted === true);
  // "Hello?" is 2 tokens and a chat template adds 6, at 0.60 USD per million.
  expect(await spentAtRest(customer.accountId)).toBe(4_800n);
});

test('a provider that breaks off ends the stream with an error, and the delivered part is charged', async () => {
  const customer = await harness.createCustomer({ usd: '1' });
  for (const ends of ['cut', 'error'] as const) {
    const before = await spentAtRest(customer.accountId);
    const begun = Promise.withResolvers<void>();
    const after = { tokens: 12, ends, when: begun.promise };
    provider.on('upstream-priced', streamedResponse({ tokens: 50, delayMs: 1, after }));
    const response = await chat(proxy, customer.proxyKey, streamed);
    begun.resolve();
    const text = await response.text();
    // A chunk may have several tokens.
    const digits = [...text.matchAll(/"content":"(\d+)"/g)].map(([, content = '']) => content).join('');
    const received = BigInt(digits.length / wordOf(0).length);
    expect(received).toBeGreaterThan(0n);
    expect(text).not.toContain('[DONE]');
    const last = text.trim().split('\n\n').at(-1) ?? '';
    expect(JSON.parse(last.replace('data: ', ''))).toMatchObject({
      error: { code: 'upstream_error', type: 'upstream_error' },
    });
    expect((await spentAtRest(customer.accountId)) - before).toBe(received * tokenNano);
  }
});

test('a provider that fails before any output costs nothing, and the next deployment is used', async () => {
  const customer = await harness.createCustomer({ usd: '1' });
  provider.on('upstream-first', failWith(503, 'overloaded'));
  provider.on(
    'upstream-second',
    wholeResponse({ content: 'second', usage: { promptTokens: 10, completionTokens: 10 } }),
  );
  const response = await chat(proxy, customer.proxyKey, { model: 'test/failover' });
  expect(response.status).toBe(200);
  expect(await response.text()).toContain('"content":"second"');
  expect(await spentAtRest(customer.accountId)).toBe(24_000n);

  provider.on('upstream-second', failWith(500, 'down too'));
  const failed = await chat(proxy, customer.proxyKey, { model: 'test/failover' });
  expect(failed.status).toBe(502);
  expect(await errorCodeOf(failed)).toBe('upstream_error');
  expect(await spentAtRest(customer.accountId)).toBe(24_000n);
});

test('a request that the provider rejects is a 400 with its message, and no other deployment is tried', async () => {
  const customer = await harness.createCustomer({ usd: '1' });
  for (const status of [400, 413, 422]) {
    provider.on('upstream-first', failWith(status, 'temperature does not suit this model'));
    const requestsBefore = provider.requests.length;
    const response = await chat(proxy, customer.proxyKey, { model: 'test/failover' });
    expect(response.status).toBe(400);
    const { error } = (await response.json()) as { error: { code: string; message: string } };
    expect(error).toMatchObject({ code: 'upstream_rejected_request', message: 'temperature does not suit this model' });
    expect(provider.requests.length - requestsBefore).toBe(1);
  }
  expect(await spentAtRest(customer.accountId)).toBe(0n);
});

test('the next deployment is used if the provider lacks the model, and after the last it is a free 502', async () => {
  const customer = await harness.createCustomer({ usd: '1' });
  const unknown = 'The model `upstream-first` does not exist or you do not have access to it.';
  const failWithBody = (status: number, error: object) => () =>
    Response.json({ error: { message: unknown, ...error } }, { status });
  const ways: Record<string, Behaviour> = {
    'status 404': failWith(404, unknown),
    'status 404 without a word': () => new Response(null, { status: 404 }),
    'status 400 with a code': failWithBody(400, { code: 'model_not_found' }),
    'inside a 200': failWithBody(200, { code: 404 }),
  };
  const firstResponse = wholeResponse({ content: 'second', usage: { promptTokens: 10, completionTokens: 10 } });
  for (const [way, behaviour] of Object.entries(ways)) {
    const before = await spentAtRest(customer.accountId);
    provider.on('upstream-first', behaviour);
    provider.on('upstream-second', firstResponse);
    const helped = await chat(proxy, customer.proxyKey, { model: 'test/failover' });
    expect([way, helped.status]).toEqual([way, 200]);
    expect((await spentAtRest(customer.accountId)) - before).toBe(24_000n);

    provider.on('upstream-second', behaviour);
    for (const stream of [false, true]) {
      const failed = await chat(proxy, customer.proxyKey, { model: 'test/failover', stream });
      const text = await failed.text();
      expect([way, failed.status, JSON.parse(text).error.code]).toEqual([way, 502, 'upstream_error']);
      expect(text).not.toContain('upstream-first');
    }
    expect((await spentAtRest(customer.accountId)) - before).toBe(24_000n);
  }
});

test('a file that the provider does not have is a 400, because it is the client’s mistake', async () => {
  const customer = await harness.createCustomer({ usd: '1' });
  provider.on('upstream-first', failWith(404, 'No such File object: file-abc'));
  const response = await chat(proxy, customer.proxyKey, { model: 'test/failover' });
  expect(response.status).toBe(400);
  expect(await errorCodeOf(response)).toBe('upstream_rejected_request');
  expect(await spentAtRest(customer.accountId)).toBe(0n);
});

test('a provider’s message about our key never reaches the client', async () => {
  const customer = await harness.createCustomer({ usd: '1' });
  for (const status of [401, 402, 403]) {
    provider.on('upstream-chat', failWith(status, 'Incorrect API key provided: sk-secret'));
    const response = await chat(proxy, customer.proxyKey, { model: 'test/chat' });
    expect(response.status).toBe(502);
    expect(await response.text()).not.toContain('sk-secret');
  }
});

test('an invalid response is a 502 and costs nothing', async () => {
  const customer = await harness.createCustomer({ usd: '1' });
  const bodies = ['<html>busy</html>', '{"choices":', '{}', '[]', '{"error":{"message":"inside a 200"}}', ''];
  for (const body of bodies) {
    provider.on('upstream-chat', rawResponse(body));
    const response = await chat(proxy, customer.proxyKey, { model: 'test/chat' });
    expect([body, response.status]).toEqual([body, 502]);
    expect(await errorCodeOf(response)).toBe('upstream_error');
  }
  provider.on('upstream-chat', () => Response.redirect('http://127.0.0.1:1/', 302));
  expect((await chat(proxy, customer.proxyKey, { model: 'test/chat' })).status).toBe(502);
  expect(await spentAtRest(customer.accountId)).toBe(0n);
});

test('absurd usage is ignored, and the charge is an estimate of what was delivered', async () => {
  const customer = await harness.createCustomer({ usd: '1' });
  const usages = [
    { promptTokens: -5, completionTokens: 3 },
    { promptTokens: 1e15, completionTokens: 3 },
    { promptTokens: 1.5, completionTokens: 3 },
  ];
  for (const usage of usages) {
    const before = await spentAtRest(customer.accountId);
    provider.on('upstream-chat', wholeResponse({ content: 'one two three', usage }));
    expect((await chat(proxy, customer.proxyKey, { model: 'test/chat' })).status).toBe(200);
    // 8 prompt tokens and 3 output tokens.
    expect((await spentAtRest(customer.accountId)) - before).toBe(10_200n);
  }
});

describe('slow readers', () => {
  const streams = 64;
  const mebibyte = 1024 * 1024;
  /** The sockets of both connections buffer some megabytes; the kernel decides how many. */
  const heldInBetweenMax = 32 * mebibyte;

  test(`slow down only their own providers and no other client, ${streams} at a time`, async () => {
    const customer = await harness.createCustomer({ usd: '5' });
    const upstream = new Gigabyte(Buffer.from(eventOf(chunkOf({ padding: 'x'.repeat(60_000) }))));
    provider.on('upstream-priced', () => upstream.response(eventStream));
    provider.on('upstream-chat', wholeResponse({ usage: { promptTokens: 1, completionTokens: 1 } }));
    const leaving = new AbortController();
    const readers = await Promise.all(
      Array.from({ length: streams }, async () => {
        const response = await chat(proxy, customer.proxyKey, streamed, { signal: leaving.signal });
        const reader = response.body?.getReader();
        await reader?.read();
        return reader;
      }),
    );
    /** On a busy machine Redis may not answer in time: who is told to come back does. */
    const askForOther = () =>
      waitFor('another request to be answered', guardTimeoutMs, async () => {
        const response = await chat(proxy, customer.proxyKey, { model: 'test/chat' });
        await response.text();
        if (response.status === 503 && response.headers.has('retry-after')) return false;
        expect(response.status).toBe(200);
        return true;
      });
    /** Other requests through the same proxy: any program that could write in the meantime has done so. */
    const askForOthers = async () => {
      for (let request = 0; request < 20; request += 1) await askForOther();
    };
    const untilHeldBack = () =>
      waitFor('the providers to be held back', guardTimeoutMs, async () => {
        const before = upstream.writtenBytes;
        await askForOthers();
        return upstream.writtenBytes === before;
      });

    await untilHeldBack();
    expect(upstream.writtenBytes).toBeLessThan(streams * heldInBetweenMax);
    // The reader is the bottleneck: once it resumes, so does its provider.
    const before = upstream.writtenBytes;
    for (let bytes = 0; bytes < heldInBetweenMax; ) {
      const read = await readers[0]?.read();
      if (read?.value === undefined) throw new Error('the stream has ended');
      bytes += read.value.byteLength;
    }
    expect(upstream.writtenBytes).toBeGreaterThan(before);
    leaving.abort();
    await spentAtRest(customer.accountId);
  });
});
