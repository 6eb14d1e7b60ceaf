/** No provider's work is available for less than it costs: each test is a way to try. */
import { afterAll, describe, expect, test } from 'bun:test';
import { eventOf, lastEvent } from '../../../local/demo-provider/event-stream.ts';
import { usageOf } from '../../../local/demo-provider/usage.ts';
import { spentAtRest } from '../../harness/books.ts';
import { chat } from '../../harness/clients/chat.ts';
import { startGateway } from '../../harness/gateway.ts';
import { chunkOf, firstChunk, usageChunk } from '../../harness/providers/chunks.ts';
import { catalogueOfEachKind } from '../../harness/providers/each-kind.ts';
import { rawResponse, untilAborted, type Writing, writtenResponse } from '../../harness/providers/scripted-provider.ts';

/** 1,000 nano-dollars per prompt token, 2,000 per output token. */
const { harness, provider, proxy, stop } = await startGateway({ catalogue: catalogueOfEachKind });

afterAll(stop);

const post = (path: string, key: string, body: object) =>
  fetch(`${proxy.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: JSON.stringify(body),
  });

describe('a list of prompts, each as long as the context,', () => {
  const texts = Array.from({ length: 20 }, () => 'word '.repeat(500));

  test.each([
    ['/v1/embeddings', { model: 'test/embedding', input: texts }],
    ['/v1/completions', { model: 'test/completion', prompt: texts, max_tokens: 1 }],
  ])('is not sent by %s to a provider for the price of one', async (path, body) => {
    // One full context costs 1,000,000 nano-dollars; the provider would count 10,000 tokens, ten times as much.
    const { proxyKey } = await harness.createCustomer({ usd: '0.002' });
    const requestsBefore = provider.requests.length;
    expect((await post(path, proxyKey, body)).status).toBe(403);
    expect(provider.requests).toHaveLength(requestsBefore);
  });
});

describe('a client that leaves a stream at the last moment', () => {
  test('pays what the provider counts after the finish reason, including hidden reasoning', async () => {
    const { proxyKey, accountId } = await harness.createCustomer({ usd: '1' });
    const finished = Promise.withResolvers<void>();
    provider.on(
      'upstream-chat',
      writtenResponse(async ({ write }) => {
        write(eventOf(chunkOf({ role: 'assistant', content: 'Yes.' })));
        write(eventOf(chunkOf({}, 'stop')));
        await finished.promise;
        const details = { completion_tokens_details: { reasoning_tokens: 699 } };
        write(eventOf(usageChunk({ ...usageOf(10, 700), ...details })));
        write(lastEvent);
      }),
    );
    const leaving = new AbortController();
    const response = await chat(proxy, proxyKey, { model: 'test/chat', stream: true }, { signal: leaving.signal });
    const reader = response.body?.getReader();
    const decoder = new TextDecoder();
    let received = '';
    while (!received.includes('"stop"')) received += decoder.decode((await reader?.read())?.value);
    leaving.abort();
    await Bun.sleep(0);
    // By then the proxy has noticed that the client has left, which no event reports; leaving later costs the same.
    await fetch(`${proxy.url}/healthz`);
    finished.resolve();
    expect(await spentAtRest(harness, accountId)).toBe(10n * 1_000n + 700n * 2_000n);
  });
});

describe('a stream that breaks off before any output', () => {
  const ends: [string, (to: Writing) => Promise<void>][] = [
    ['is cut', () => Promise.reject(new Error('as scripted'))],
    ['ends', async () => {}],
    [
      'fails',
      ({ write, signal }) => {
        write(eventOf({ error: { message: 'down' } }));
        return untilAborted(signal);
      },
    ],
  ];
  test.each(ends)('costs nothing if it %s', async (_how, end) => {
    const { proxyKey, accountId } = await harness.createCustomer({ usd: '1' });
    const begun = Promise.withResolvers<void>();
    provider.on(
      'upstream-chat',
      writtenResponse(async (to) => {
        to.write(eventOf(firstChunk));
        await begun.promise;
        await end(to);
      }),
    );
    const response = await chat(proxy, proxyKey, { model: 'test/chat', stream: true });
    begun.resolve();
    expect(await response.text()).toContain('upstream_error');
    expect(await spentAtRest(harness, accountId)).toBe(0n);
  });
});

test('an error repeats the name of an unknown model only up to a maximum length', async () => {
  const { proxyKey } = await harness.createCustomer({ usd: '1' });
  const response = await chat(proxy, proxyKey, { model: `no-such-${'x'.repeat(100_000)}` });
  expect(response.status).toBe(404);
  const text = await response.text();
  expect(text).toContain('no-such-xxx');
  expect(text.length).toBeLessThan(400);
});

test('stored responses of an account for Idempotency-Keys take a bounded part of Redis', async () => {
  const { proxyKey } = await harness.createCustomer({ usd: '1' });
  const vectors = Array.from({ length: 45 }, (_, index) => ({ index, embedding: new Array(1_536).fill(0.123456789) }));
  const body = JSON.stringify({ data: vectors, usage: { prompt_tokens: 45, total_tokens: 45 } });
  provider.on('upstream-embedding', rawResponse(body));
  const ask = async (key: string) => {
    const response = await fetch(`${proxy.url}/v1/embeddings`, {
      method: 'POST',
      headers: { authorization: `Bearer ${proxyKey}`, 'idempotency-key': key },
      body: JSON.stringify({ model: 'test/embedding', input: new Array(45).fill('a') }),
    });
    await response.arrayBuffer();
    return response.status;
  };
  const keptBytes = async () => {
    const names = await harness.redis.keys('{s*}:once:*');
    const responses = await Promise.all(names.map((name) => harness.redis.hstrlen(name, 'answer')));
    return responses.reduce((sum, bytes) => sum + bytes, 0);
  };
  for (let request = 0; request < 80; request += 1) expect(await ask(`key-${request}`)).toBe(200);
  expect(await keptBytes()).toBeGreaterThan(1024 * 1024);
  expect(await keptBytes()).toBeLessThanOrEqual(32 * 1024 * 1024);
  // A response that was not stored is not charged twice.
  expect(await ask('key-79')).toBe(409);
  expect(await ask('key-0')).toBe(200);
});
