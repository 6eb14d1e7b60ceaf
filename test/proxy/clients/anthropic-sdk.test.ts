/** Anthropic's own client, unchanged, through the real gateway: it can use any chat model at the same price. */
import { afterAll, describe, expect, test } from 'bun:test';
import Anthropic from '@anthropic-ai/sdk';
import { guardTimeoutMs, waitFor } from '../../harness/account-view.ts';
import { chat } from '../../harness/clients/chat.ts';
import { startGateway } from '../../harness/gateway.ts';
import { streamedResponse, wholeResponse } from '../../harness/providers/scripted-provider.ts';
import {
  clientOf,
  clock,
  costNano,
  deltasResponse,
  hello,
  messageResponse,
  request,
  spentAtRest,
  startCustomer,
} from './anthropic-clients.ts';

const gateway = await startGateway();
const { harness, provider, proxy, stop } = gateway;

afterAll(stop);

const weather: Anthropic.Tool = {
  name: 'weather',
  input_schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};
const toolCalls = [
  { index: 0, id: 'call_a', type: 'function', function: { name: 'weather', arguments: '{"city":"Oslo"}' } },
  { index: 1, id: 'call_b', type: 'function', function: { name: 'clock', arguments: '' } },
];
const toolBlocks = [
  { type: 'tool_use', id: 'call_a', name: 'weather', input: { city: 'Oslo' } },
  { type: 'tool_use', id: 'call_b', name: 'clock', input: {} },
];

const sent = () => provider.requests.at(-1)?.body;

describe('a whole response', () => {
  test('is returned as text, with the key as x-api-key or as a bearer token', async () => {
    const { customer, client } = await startCustomer(gateway);
    provider.on('upstream-chat', wholeResponse({ content: 'Hi.', usage: { promptTokens: 20, completionTokens: 10 } }));
    const bearer = new Anthropic({ baseURL: proxy.url, apiKey: null, authToken: customer.proxyKey });
    // Newer models have no temperature, so the client's types no longer include it, but it is sent.
    const brief = { ...request, system: 'Be brief.', temperature: 0.5 };
    for (const one of [client, bearer]) {
      const message = await one.messages.create(brief);
      expect(message).toMatchObject({
        type: 'message',
        role: 'assistant',
        model: 'test/chat',
        content: [{ type: 'text', text: 'Hi.' }],
        stop_reason: 'end_turn',
        stop_sequence: null,
        usage: { input_tokens: 20, cache_read_input_tokens: 0, output_tokens: 10, cost: 0.00003 },
      });
      expect(message.id).toStartWith('msg_');
      expect(message._request_id?.replaceAll('-', '')).toBe(message.id.slice('msg_'.length));
    }
    expect(sent()).toMatchObject({
      model: 'upstream-chat',
      max_tokens: 100,
      temperature: 0.5,
      messages: [{ role: 'system', content: 'Be brief.' }, hello],
    });
    expect(await spentAtRest(gateway, customer)).toBe(2n * costNano);
  });

  test('can call two tools in one turn, one without arguments, and the next turn has their results', async () => {
    const { client } = await startCustomer(gateway);
    provider.on('upstream-chat', messageResponse({ tool_calls: toolCalls }, 'tool_calls'));
    const tools = [weather, clock];
    const reply = await client.messages.create({ ...request, tools, tool_choice: { type: 'any' } });
    expect(reply.stop_reason).toBe('tool_use');
    expect<unknown>(reply.content).toEqual(toolBlocks);
    expect(sent()).toMatchObject({ tool_choice: 'required', tools: [{ type: 'function' }, { type: 'function' }] });

    provider.on('upstream-chat', messageResponse({ content: 'Rain at noon.' }));
    await client.messages.create({
      ...request,
      tools,
      messages: [
        hello,
        { role: 'assistant', content: reply.content },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'call_a', content: [{ type: 'text', text: 'rain' }] },
            { type: 'tool_result', tool_use_id: 'call_b', content: 'broken', is_error: true },
            { type: 'text', text: 'Well?' },
          ],
        },
      ],
    });
    expect(sent()?.messages).toMatchObject([
      hello,
      { role: 'assistant', tool_calls: [{ id: 'call_a' }, { id: 'call_b', function: { arguments: '{}' } }] },
      { role: 'tool', tool_call_id: 'call_a', content: 'rain' },
      { role: 'tool', tool_call_id: 'call_b', content: 'Error: broken' },
      { role: 'user', content: 'Well?' },
    ]);
  });

  test('can describe images in the request', async () => {
    const { client } = await startCustomer(gateway);
    provider.on('upstream-chat', messageResponse({ content: 'A cat.' }));
    const source = { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } as const;
    await client.messages.create({ ...request, messages: [{ role: 'user', content: [{ type: 'image', source }] }] });
    expect(sent()?.messages).toEqual([
      {
        role: 'user',
        content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } }],
      },
    ]);
  });

  test('includes thinking, which is sent back with the next turn', async () => {
    const { client } = await startCustomer(gateway);
    provider.on('upstream-chat', messageResponse({ content: 'Yes.', reasoning_content: 'Hm.' }));
    const { content } = await client.messages.create({ ...request, thinking: { type: 'adaptive' } });
    expect<unknown>(content).toEqual([
      { type: 'thinking', thinking: 'Hm.', signature: '' },
      { type: 'text', text: 'Yes.' },
    ]);
    await client.messages.create({ ...request, messages: [hello, { role: 'assistant', content }, hello] });
    expect(sent()?.messages).toEqual([hello, { role: 'assistant', content: 'Yes.', reasoning_content: 'Hm.' }, hello]);
  });
});

describe('a streamed response', () => {
  test('is assembled by the stream helper, with text and usage', async () => {
    const { customer, client } = await startCustomer(gateway);
    provider.on('upstream-chat', streamedResponse({ tokens: 10, promptTokens: 20 }));
    const stream = client.messages.stream(request);
    const texts: string[] = [];
    stream.on('text', (text) => texts.push(text));
    const message = await stream.finalMessage();
    expect(texts).toHaveLength(10);
    expect(message).toMatchObject({ stop_reason: 'end_turn', usage: { input_tokens: 20, output_tokens: 10 } });
    expect<unknown>(message.content).toEqual([{ type: 'text', text: texts.join('') }]);
    expect(await spentAtRest(gateway, customer)).toBe(costNano);
  });

  test('has thinking, text and two concurrent tool calls, one without arguments', async () => {
    const { client } = await startCustomer(gateway);
    const chunks = [
      { reasoning_content: 'H' },
      { reasoning_content: 'm.' },
      { content: 'Let me see.' },
      ...toolCalls.map((call) => ({ tool_calls: [call] })),
    ];
    provider.on('upstream-chat', deltasResponse(chunks, 'tool_calls'));
    const message = await client.messages.stream({ ...request, tools: [weather, clock] }).finalMessage();
    expect(message.stop_reason).toBe('tool_use');
    expect<unknown>(message.content).toEqual([
      { type: 'thinking', thinking: 'Hm.', signature: '' },
      { type: 'text', text: 'Let me see.' },
      ...toolBlocks,
    ]);
  });

  test('is aborted at the provider if the client leaves, which pays for what was delivered', async () => {
    const { customer, client } = await startCustomer(gateway);
    const tokenNano = 10_000n;
    provider.on('upstream-priced', streamedResponse({ tokens: 1000, delayMs: 5 }));
    const stream = await client.messages.create({
      ...request,
      model: 'test/priced-output',
      max_tokens: 1000,
      stream: true,
    });
    let received = 0n;
    for await (const event of stream) {
      if (event.type === 'content_block_delta') received += 1n;
      if (received === 20n) break;
    }
    const truth = provider.requests.at(-1);
    await waitFor('the abort upstream', guardTimeoutMs, async () => truth?.aborted === true);
    const spent = await spentAtRest(gateway, customer);
    expect(spent).toBeGreaterThanOrEqual(received * tokenNano);
    expect(spent).toBeLessThanOrEqual(BigInt(truth?.deliveredTokens ?? 0) * tokenNano);
  });

  test('raises an error if the provider breaks it off', async () => {
    const { client } = await startCustomer(gateway);
    const begun = Promise.withResolvers<void>();
    const after = { tokens: 5, ends: 'error', when: begun.promise } as const;
    provider.on('upstream-chat', streamedResponse({ tokens: 50, after }));
    const failure = await client.messages
      .stream(request)
      .on('connect', () => begun.resolve())
      .finalMessage()
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(Anthropic.APIError);
    expect(failure).toMatchObject({ type: 'api_error', error: { error: { code: 'upstream_error' } } });
  });
});

test('any valid key can count tokens, at no cost', async () => {
  const { customer, client } = await startCustomer(gateway, '0');
  const count = async (members: object) =>
    (await client.messages.countTokens({ model: 'test/chat', messages: [hello], ...members })).input_tokens;
  const short = await count({});
  // "Hello?" is 2 tokens and a chat template adds 6.
  expect(short).toBe(8);
  expect(await count({ system: 'Be brief.', tools: [weather] })).toBeGreaterThan(short + 20);
  expect(await count({ messages: [{ role: 'user', content: 'a word '.repeat(10_000) }] })).toBeGreaterThan(15_000);
  expect(await spentAtRest(gateway, customer)).toBe(0n);

  const { proxyKey } = customer;
  const unknown = `${proxyKey.slice(0, -1)}${proxyKey.endsWith('A') ? 'B' : 'A'}`;
  for (const key of [unknown, await harness.createExpiredKey(customer.accountId)]) {
    const refused = clientOf(proxy.url, key).messages.countTokens({ model: 'test/chat', messages: [hello] });
    expect(await refused.catch((error: unknown) => error)).toBeInstanceOf(Anthropic.AuthenticationError);
  }
});

test('the same request costs the same on /v1/messages and /v1/chat/completions', async () => {
  const { customer, client } = await startCustomer(gateway);
  const counted = { prompt_tokens: 1_000, completion_tokens: 77, prompt_tokens_details: { cached_tokens: 900 } };
  provider.on('upstream-chat', messageResponse({ content: 'Hi.' }, 'stop', counted));
  const message = await client.messages.create(request);
  expect(message.usage).toMatchObject({ input_tokens: 100, cache_read_input_tokens: 900, output_tokens: 77 });
  const spent = await spentAtRest(gateway, customer);
  expect(spent).toBeGreaterThan(0n);
  expect((await chat(proxy, customer.proxyKey, { model: 'test/chat', max_tokens: 100 })).status).toBe(200);
  expect(await spentAtRest(gateway, customer)).toBe(2n * spent);
});
