/** A paid chat completion through both programs: what is delivered, what it costs, and where the cost is shown. */
import { afterAll, expect, test } from 'bun:test';
import OpenAI from 'openai';
import { guardTimeoutMs, logIn, readLedger, waitFor } from '../harness/account-view.ts';
import { startPrograms } from '../harness/gateway.ts';
import { streamedResponse, wholeResponse } from '../harness/providers/scripted-provider.ts';

const { harness, provider, admin, proxy, stop } = await startPrograms();
const customer = await harness.createCustomer({ usd: '5' });
const client = new OpenAI({ baseURL: `${proxy.url}/v1`, apiKey: customer.proxyKey, maxRetries: 0 });

afterAll(stop);

const messages = [{ role: 'user' as const, content: 'Hello?' }];

test('a completion costs tokens × price, and its transaction is listed', async () => {
  provider.on('upstream-chat', wholeResponse({ content: 'Hi.', usage: { promptTokens: 11, completionTokens: 7 } }));
  const { data, response, request_id } = await client.chat.completions
    .create({ model: 'test/chat', messages })
    .withResponse();
  // 11 × 0.60 + 7 × 1.80 USD per million tokens, markup included.
  const costUsd = '0.0000192';
  expect(data.choices[0]?.message.content).toBe('Hi.');
  expect(data.usage).toMatchObject({
    prompt_tokens: 11,
    completion_tokens: 7,
    total_tokens: 18,
    cost: Number(costUsd),
  });
  expect(response.headers.get('x-cost-usd')).toBe(costUsd);
  const requestId = response.headers.get('x-request-id');
  expect(request_id).toBe(requestId);

  const account = await logIn(admin, customer);
  const transaction = await waitFor('the transaction', guardTimeoutMs, async () =>
    (await account.transactions()).find((candidate) => candidate.requestId === requestId),
  );
  expect(transaction).toMatchObject({ amount: -0.0000192, type: 'usage', model: 'test/chat' });
  expect(await account.balanceAtRest()).toMatchObject({ balance: 4.9999808, available: 4.9999808 });
});

test('a stream delivers every chunk, ends with [DONE], and is charged what the provider reports', async () => {
  provider.on('upstream-chat', streamedResponse({ tokens: 25, promptTokens: 10 }));
  const before = await readLedger(harness, customer.accountId);
  const stream = await client.chat.completions.create({ model: 'test/chat', messages, stream: true });
  let text = '';
  let usageChunks = 0;
  for await (const chunk of stream) {
    text += chunk.choices[0]?.delta.content ?? '';
    if (chunk.usage) usageChunks += 1;
  }
  expect(text.match(/\d{3}/g)).toHaveLength(25);
  expect(usageChunks).toBe(0);
  // 10 × 0.60 + 25 × 1.80.
  await waitFor('the charge', guardTimeoutMs, async () => {
    const { spentNano } = await readLedger(harness, customer.accountId);
    return spentNano - before.spentNano === 51_000n;
  });
});

test('a stream that asks for usage gets it, with its cost, in one last chunk without choices', async () => {
  provider.on('upstream-chat', streamedResponse({ tokens: 3, promptTokens: 10 }));
  const stream = await client.chat.completions.create({
    model: 'test/chat',
    messages,
    stream: true,
    stream_options: { include_usage: true },
  });
  const chunks = await Array.fromAsync(stream);
  const last = chunks.at(-1);
  expect(last?.choices).toEqual([]);
  expect(last?.usage).toMatchObject({ prompt_tokens: 10, completion_tokens: 3, total_tokens: 13, cost: 0.0000114 });
  expect(chunks.slice(0, -1).every((chunk) => !chunk.usage)).toBe(true);
});

test("the official client's stream helper and models list work", async () => {
  provider.on('upstream-chat', streamedResponse({ tokens: 4 }));
  const completion = await client.chat.completions.stream({ model: 'test/chat', messages }).finalChatCompletion();
  expect(completion.choices[0]?.message).toMatchObject({ role: 'assistant', content: '000001002003' });
  const models = (await client.models.list()).data;
  expect(models.map((model) => model.id)).toEqual(['test/chat', 'test/priced-output', 'test/failover']);
  expect(await client.models.retrieve('test/chat')).toMatchObject({
    id: 'test/chat',
    object: 'model',
    owned_by: 'test',
    architecture: { input_modalities: ['text'], output_modalities: ['text'] },
    supported_parameters: expect.arrayContaining(['temperature', 'tools', 'structured_outputs']),
    expiration_date: null,
    pricing: { prompt: '0.0000006', completion: '0.0000018' },
    pricing_rub: { prompt_per_100k: '5.4', completion_per_100k: '16.2', currency: 'RUB' },
  });
});

test('the models list needs no key', async () => {
  const response = await fetch(`${proxy.url}/v1/models`);
  expect(response.status).toBe(200);
  expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
});

test('the provider gets the original request, with its own model name, the output cap and usage', async () => {
  provider.on('upstream-chat', streamedResponse({ tokens: 1 }));
  const body = `{"model":"test/chat", "messages": [{"role":"user","content":"exactly"}],"stream":true,"seed":12345678901234567890,"chat_template_kwargs":{"a":[1,2]},"max_tokens":9}`;
  const response = await fetch(`${proxy.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${customer.proxyKey}` },
    body,
  });
  await response.text();
  const sent = provider.requests.findLast((request) => request.prompt === 'exactly');
  expect(sent?.path).toBe('/v1/chat/completions');
  expect(sent?.body).toMatchObject({
    model: 'upstream-chat',
    chat_template_kwargs: { a: [1, 2] },
    max_tokens: 9,
    stream_options: { include_usage: true },
  });
  expect(sent?.headers.get('authorization')).toBeNull();
});

test('the cap without max_tokens is the model’s, or what a small balance covers', async () => {
  provider.on('upstream-chat', wholeResponse({ usage: { promptTokens: 1, completionTokens: 1 } }));
  const ask = async (key: string, content: string) => {
    const own = new OpenAI({ baseURL: `${proxy.url}/v1`, apiKey: key, maxRetries: 0 });
    await own.chat.completions.create({ model: 'test/priced-output', messages: [{ role: 'user', content }] });
    return provider.requests.findLast((request) => request.prompt === content)?.body.max_tokens;
  };
  provider.on('upstream-priced', wholeResponse({ usage: { promptTokens: 1, completionTokens: 1 } }));
  expect(await ask(customer.proxyKey, 'rich')).toBe(4096);
  // 10 micro-dollars a token: 50 tokens for $0.0005.
  const poor = await harness.createCustomer({ usd: '0.0005' });
  expect(await ask(poor.proxyKey, 'poor')).toBe(50);
});

test('the charge is an estimate and reported as such if the provider reports no usage', async () => {
  provider.on('upstream-chat', wholeResponse({ content: 'one two three four' }));
  const own = await harness.createCustomer({ usd: '1' });
  const ownClient = new OpenAI({ baseURL: `${proxy.url}/v1`, apiKey: own.proxyKey, maxRetries: 0 });
  const completion = await ownClient.chat.completions.create({ model: 'test/chat', messages });
  expect(completion.usage?.completion_tokens).toBe(4);
  const account = await logIn(admin, own);
  const usage = await waitFor('the transaction', guardTimeoutMs, async () =>
    (await account.transactions()).find(({ type }) => type === 'usage'),
  );
  expect(usage.description).toContain('(estimated)');
});
