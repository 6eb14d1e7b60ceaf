/**
 * A provider's own Responses API through the real gateway: passed on, charged exactly, beside providers without one.
 */
import { afterAll, describe, expect, test } from 'bun:test';
import OpenAI from 'openai';
import { usageOf } from '../../../../local/demo-provider/usage.ts';
import { spentAtRest, violationsAtRest } from '../../../harness/books.ts';
import { startGateway } from '../../../harness/gateway.ts';
import { chunksResponse } from '../../../harness/providers/completions.ts';
import {
  type Behaviour,
  byteByByte,
  eventStream,
  failWith,
  rawResponse,
  untilAborted,
  wholeResponse,
  writtenResponse,
} from '../../../harness/providers/scripted-provider.ts';
import { readEvents } from '../../api/responses/event-order.ts';
import { call, customCall, everything, framed, itemsUntil, opening, output, responses } from './provider-events.ts';

/** 1,000 nano-dollars per prompt token, 500 per cached one, 2,000 per output token. */
const { harness, provider, proxy, stop } = await startGateway({
  catalogue: (baseUrl) => `
markup: "1"
providers:
  - { id: native, protocol: openai-responses, baseUrl: "${baseUrl}" }
  - { id: chat, protocol: openai, baseUrl: "${baseUrl}" }
models:
  - { id: test/native, kind: chat, ownedBy: test, contextTokens: 100000, maxOutputTokens: 1000,
      price: { prompt: "1", cachedPrompt: "0.5", completion: "2" },
      deployments: [{ provider: native, model: upstream-native }] }
  - { id: test/both, kind: chat, ownedBy: test, contextTokens: 100000, maxOutputTokens: 1000,
      price: { prompt: "1", cachedPrompt: "0.5", completion: "2" },
      deployments: [{ provider: native, model: upstream-native, priority: 1 },
                    { provider: chat, model: upstream-chat, priority: 2 }] }
`,
});
const customer = await harness.createCustomer({ usd: '5' });
const client = new OpenAI({ baseURL: `${proxy.url}/v1`, apiKey: customer.proxyKey, maxRetries: 0 });
/** 7 × 1,000 + 4 × 500 + 7 × 2,000 nano-dollars. */
const charge = 23_000n;

afterAll(stop);

const request = { model: 'test/native', input: 'Hello?', tools: [{ type: 'custom' as const, name: 'patch' }] };

function post(path: string, body: object, signal?: AbortSignal): Promise<Response> {
  return fetch(`${proxy.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${customer.proxyKey}` },
    body: JSON.stringify(body),
    ...(signal !== undefined && { signal }),
  });
}

async function chargeOf(act: () => Promise<unknown>): Promise<bigint> {
  const before = await spentAtRest(harness, customer.accountId);
  await act();
  return (await spentAtRest(harness, customer.accountId)) - before;
}

test('a whole response passes through, with its cost, and is charged exactly', async () => {
  provider.on('upstream-native', responses);
  const charged = await chargeOf(async () => {
    const { data, response } = await client.responses.create(request).withResponse();
    expect(data).toMatchObject({
      model: 'test/native',
      store: false,
      output,
      usage: { output_tokens: 7, cost: 0.000023 },
    });
    expect(response.headers.get('x-cost-usd')).toBe('0.000023');
  });
  expect(charged).toBe(charge);
  expect(provider.requests.at(-1)).toMatchObject({
    path: '/v1/responses',
    body: { ...request, model: 'upstream-native', store: false, max_output_tokens: 1_000 },
  });
});

test.each([
  ['in one chunk', responses],
  ['byte by byte', byteByByte(Buffer.from(everything))],
])('a stream that arrives %s passes through, and is charged exactly', async (_, behaviour) => {
  provider.on('upstream-native', behaviour);
  const charged = await chargeOf(async () => {
    const stream = client.responses.stream(request);
    const final = await stream.finalResponse();
    expect(final.output.map(({ type }) => type)).toEqual(output.map(({ type }) => type) as never);
    expect(final.output.slice(2)).toMatchObject([call, customCall]);
    expect(final.usage).toMatchObject({ input_tokens: 11, output_tokens: 7, cost: 0.000023 });
  });
  expect(charged).toBe(charge);
});

test.each([true, false])(
  '`metadata` is repeated in the response, and stays with the gateway (stream: %p)',
  async (stream) => {
    provider.on('upstream-native', responses);
    const metadata = { team: 'search' };
    const final = stream
      ? await client.responses.stream({ ...request, metadata }).finalResponse()
      : await client.responses.create({ ...request, metadata });
    expect(final.metadata).toEqual(metadata);
    expect(provider.requests.at(-1)?.body).not.toHaveProperty('metadata');
  },
);

test('the second turn sends back what the first has returned, encrypted reasoning included', async () => {
  provider.on('upstream-native', responses);
  const first = await client.responses.create({ ...request, include: ['reasoning.encrypted_content'] });
  const results = [
    { type: 'function_call_output' as const, call_id: 'call_1', output: '12' },
    { type: 'custom_tool_call_output' as const, call_id: 'call_2', output: 'done' },
  ];
  await client.responses.create({
    ...request,
    input: [{ role: 'user', content: 'Hello?' }, ...first.output, ...results] as never,
  });
  expect(provider.requests.at(-1)?.body.input).toEqual([{ role: 'user', content: 'Hello?' }, ...output, ...results]);
});

test('hosted tools are left out, and the response says so', async () => {
  provider.on('upstream-native', responses);
  const { response } = await client.responses
    .create({ ...request, tools: [...request.tools, { type: 'web_search' }] })
    .withResponse();
  expect(response.headers.get('x-gateway-removed-tools')).toBe('web_search');
  expect(provider.requests.at(-1)?.body.tools).toEqual(request.tools);
});

describe('a request in another API format', () => {
  const messages = [{ role: 'user', content: 'Hello?' }];

  test.each([
    ['/v1/chat/completions', { messages }],
    ['/v1/messages', { messages, max_tokens: 9 }],
  ])(
    'a request to %s is refused by a model that has only the Responses API, before anything is held',
    async (path, body) => {
      const sent = provider.requests.length;
      const response = await post(path, { model: 'test/native', ...body });
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({
        error: { message: "'test/native' is only available from POST /v1/responses." },
      });
      expect(provider.requests).toHaveLength(sent);
    },
  );

  test('is served by a deployment of another protocol, if the model has one', async () => {
    provider.on('upstream-chat', wholeResponse({ content: 'Hi.', usage: { promptTokens: 11, completionTokens: 7 } }));
    const response = await post('/v1/chat/completions', { model: 'test/both', messages });
    expect(await response.json()).toMatchObject({ choices: [{ message: { content: 'Hi.' } }] });
  });
});

test.each([
  ['with an error status', failWith(503, 'overloaded')],
  [
    'in its first event',
    rawResponse(framed([...opening, { type: 'error', code: 'server_error', message: 'x' }]), eventStream),
  ],
])('a deployment of another protocol serves the request if the provider fails %s', async (_, behaviour) => {
  const hello = {
    model: 'upstream',
    choices: [{ index: 0, delta: { role: 'assistant', content: 'Hi.' }, finish_reason: 'stop' }],
  };
  provider.on('upstream-native', behaviour);
  provider.on('upstream-chat', chunksResponse([hello, { choices: [], usage: usageOf(11, 7) }]));
  const final = await client.responses.stream({ ...request, model: 'test/both' }).finalResponse();
  expect(final.output_text).toBe('Hi.');
});

/** Sends a part of a response, and continues once `open` resolves. */
function begins(open: Promise<unknown>): Behaviour {
  return writtenResponse(async ({ write, signal }) => {
    write(framed([...opening, ...itemsUntil('response.output_text.delta')]));
    await Promise.race([open, untilAborted(signal)]);
  });
}

test('a stream that the provider breaks off is an error, and the output so far is charged', async () => {
  provider.on('upstream-native', begins(Promise.resolve()));
  const charged = await chargeOf(async () => {
    const response = await post('/v1/responses', { ...request, stream: true });
    const events = readEvents(await response.text());
    expect(events.slice(-2).map(({ type }) => type)).toEqual(['error', 'response.failed']);
  });
  expect(charged).toBeGreaterThan(0n);
  expect(charged).toBeLessThan(10n * charge);
});

test('a client that hangs up ends the request at the provider, and pays for what it received', async () => {
  provider.on('upstream-native', begins(Promise.withResolvers().promise));
  const charged = await chargeOf(async () => {
    const aborted = new AbortController();
    const response = await post('/v1/responses', { ...request, stream: true }, aborted.signal);
    const reader = response.body?.getReader();
    await reader?.read();
    aborted.abort();
    await reader?.read().catch(() => undefined);
  });
  expect(charged).toBeGreaterThan(0n);
  expect(charged).toBeLessThan(10n * charge);
  expect(provider.requests.at(-1)?.aborted).toBe(true);
});

test('the ledger and Redis agree after all of these requests', async () => {
  expect(await violationsAtRest(harness, [customer.accountId])).toEqual([]);
});
