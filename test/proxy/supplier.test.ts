/**
 * Responses have the client's name of the model, in every API format, whole and streamed. No member and no header
 * discloses its supplier unless the operator allows it.
 */
import { afterAll, expect, test } from 'bun:test';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { eventOf } from '../../local/demo-provider/event-stream.ts';
import { usageOf } from '../../local/demo-provider/usage.ts';
import { type ModelKind, modelKinds } from '../../shared/catalogue/model-kinds.ts';
import { startGateway } from '../harness/gateway.ts';
import { chunksResponse } from '../harness/providers/completions.ts';
import { type Behaviour, eventStream, rawResponse } from '../harness/providers/scripted-provider.ts';
import { delta, frame, joined, messageStart, messageStop } from './providers/bedrock/frames.ts';

/** Everything that would disclose the supplier contains this. */
const supplier = 'secret-supplier';
const pricesOf: { readonly [Kind in ModelKind]?: string } = {
  image: 'images: [{ size: default, quality: default, priceUsd: "0.01" }]',
  rerank: 'prompt: "1"',
};
const shape = 'ownedBy: acme, contextTokens: 1000, maxOutputTokens: 100';
const model = (protocol: string, kind: ModelKind) => `
  - { id: acme/${protocol}-${kind}, kind: ${kind}, ${shape}, price: { ${pricesOf[kind] ?? 'prompt: "1", completion: "1"'} },
      deployments: [{ provider: ${supplier}-${protocol}, model: ${supplier}-${protocol}-${kind} }] }`;

const catalogue = (baseUrl: string) => `
providers:
  - { id: ${supplier}-openai, protocol: openai, baseUrl: "${baseUrl}" }
  - { id: ${supplier}-anthropic, protocol: anthropic, baseUrl: "${baseUrl}" }
  - { id: ${supplier}-gemini, protocol: gemini, baseUrl: "${baseUrl}" }
  - { id: ${supplier}-bedrock, protocol: bedrock, baseUrl: "${baseUrl}" }
models:${modelKinds.map((kind) => model('openai', kind)).join('')}${model('anthropic', 'chat')}
  ${model('gemini', 'chat')}${model('gemini', 'embedding')}${model('bedrock', 'chat')}
`;
const { harness, proxy, provider, stop } = await startGateway({ catalogue });
const { proxyKey } = await harness.createCustomer({ usd: '1' });

afterAll(stop);

const openai = new OpenAI({ baseURL: `${proxy.url}/v1`, apiKey: proxyKey, maxRetries: 0 });
const anthropic = new Anthropic({ baseURL: proxy.url, apiKey: proxyKey, maxRetries: 0 });

const json = (value: object) => rawResponse(JSON.stringify(value));
const events = (values: readonly object[]) => rawResponse(values.map(eventOf).join(''), eventStream);
/** Responds whole or streamed, as requested. */
const either =
  (whole: Behaviour, streamed: Behaviour): Behaviour =>
  (truth, request) =>
    (truth.body.stream === true || truth.path.includes('stream') ? streamed : whole)(truth, request);

const usage = usageOf(3, 2);
const head = { id: 'x', created: 1, model: `${supplier}-2030-01-01`, provider: supplier, x_groq: { id: supplier } };
const chunk = (delta: object, finish_reason: string | null = null) => ({
  ...head,
  object: 'chat.completion.chunk',
  choices: [{ index: 0, delta, finish_reason }],
});
const words = ['Hello', ', ', 'привет', '!'];
const candidate = (text: string) => ({ content: { parts: [{ text }] }, index: 0 });
const gemini = { modelVersion: `${supplier}-001`, responseId: 'r' };
const message = { id: 'm', type: 'message', role: 'assistant', model: `${supplier}-1`, usage: { input_tokens: 3 } };

const behaviours: Readonly<Record<string, Behaviour>> = {
  'openai-chat': either(
    json({ ...head, object: 'chat.completion', choices: [{ message: { content: 'Hi.' } }], usage }),
    chunksResponse([
      chunk({ role: 'assistant', content: '' }),
      ...words.map((content) => chunk({ content })),
      chunk({}, 'stop'),
      { ...head, object: 'chat.completion.chunk', choices: [], usage },
    ]),
  ),
  'openai-completion': either(
    json({ ...head, object: 'text_completion', choices: [{ text: 'Hi.' }], usage }),
    chunksResponse(
      [...words, ''].map((text, index) => ({
        ...head,
        object: 'text_completion',
        choices: [{ index: 0, text, logprobs: null, finish_reason: index < words.length ? null : 'stop' }],
      })),
    ),
  ),
  'openai-image': json({ ...head, data: [{ url: 'https://example.com/x.png', id: supplier }], usage: null }),
  'openai-embedding': json({ ...head, object: 'list', data: [{ embedding: [0.5] }], usage }),
  'anthropic-chat': either(
    json({ ...message, content: [{ type: 'text', text: 'Hi.' }], stop_reason: 'end_turn' }),
    events([
      { type: 'message_start', message },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      ...words.map((text) => ({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } })),
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 4 } },
      { type: 'message_stop' },
    ]),
  ),
  'gemini-chat': either(
    json({ ...gemini, candidates: [{ ...candidate('Hi.'), finishReason: 'STOP' }] }),
    events([...words, '!'].map((text) => ({ ...gemini, candidates: [{ ...candidate(text), finishReason: 'STOP' }] }))),
  ),
  'bedrock-chat': either(
    json({ output: { message: { content: [{ text: 'Hi.' }] } }, stopReason: 'end_turn', trace: { by: supplier } }),
    rawResponse(
      joined([
        messageStart,
        ...words.map((text) => delta(0, { text })),
        messageStop('end_turn'),
        frame('metadata', { usage: { inputTokens: 3, outputTokens: 4 }, trace: { promptRouter: supplier } }),
      ]),
      'application/vnd.amazon.eventstream',
    ),
  ),
  'gemini-embedding': json({ ...gemini, embeddings: [{ values: [0.5] }] }),
};
for (const [name, behaviour] of Object.entries(behaviours)) provider.on(`${supplier}-${name}`, behaviour);

const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'Hello?' }];
const turns = [{ role: 'user' as const, content: 'Hello?' }];

/** The parts of a response that name a model. */
async function modelsOf(items: AsyncIterable<unknown>): Promise<unknown[]> {
  const models: unknown[] = [];
  for await (const item of items) {
    const { model, message, response } = Object(item);
    const named = model ?? message?.model ?? response?.model;
    if (named !== undefined) models.push(named);
  }
  return models;
}

test.each(['acme/openai-chat', 'acme/anthropic-chat', 'acme/gemini-chat'])(
  'all chat API formats name the model %s, whole and streamed',
  async (model) => {
    const request = { model, messages };
    expect((await openai.chat.completions.create(request)).model).toBe(model);
    expect((await openai.responses.create({ model, input: 'Hello?' })).model).toBe(model);
    expect((await anthropic.messages.create({ model, messages: turns, max_tokens: 9 })).model).toBe(model);

    const includeUsage = { stream_options: { include_usage: true } };
    const streams = [
      await openai.chat.completions.create({ ...request, stream: true }),
      await openai.chat.completions.create({ ...request, stream: true, ...includeUsage }),
      await openai.responses.create({ model, input: 'Hello?', stream: true }),
      await anthropic.messages.create({ model, messages: turns, max_tokens: 9, stream: true }),
    ];
    const named = await Promise.all(streams.map((stream) => modelsOf(stream)));
    for (const models of named) expect(new Set(models)).toEqual(new Set([model]));
    // Each chunk of a chat completion has the model.
    expect(named[0]?.length).toBeGreaterThan(words.length);
  },
);

test('text completions and embeddings have the client’s name of the model', async () => {
  const completion = { model: 'acme/openai-completion', prompt: 'Hello' };
  expect((await openai.completions.create(completion)).model).toBe(completion.model);
  const streamed = await modelsOf(await openai.completions.create({ ...completion, stream: true }));
  expect(new Set(streamed)).toEqual(new Set([completion.model]));
  expect(streamed.length).toBeGreaterThan(words.length);
  for (const model of ['acme/openai-embedding', 'acme/gemini-embedding']) {
    expect((await openai.embeddings.create({ model, input: 'Hello' })).model).toBe(model);
  }
});

/** Every header and every byte of each endpoint's response. */
async function everyOutput(url: string): Promise<string> {
  const requests: [path: string, body: object][] = [
    ...['openai', 'anthropic', 'gemini', 'bedrock'].flatMap((protocol): [string, object][] => {
      const model = `acme/${protocol}-chat`;
      return [false, true].flatMap((stream): [string, object][] => [
        ['chat/completions', { model, messages, stream }],
        ['messages', { model, messages, max_tokens: 9, stream }],
        ['responses', { model, input: 'Hello?', stream }],
      ]);
    }),
    ...[false, true].map((stream): [string, object] => [
      'completions',
      { model: 'acme/openai-completion', prompt: 'Hello', stream },
    ]),
    ['embeddings', { model: 'acme/openai-embedding', input: 'Hello' }],
    ['embeddings', { model: 'acme/gemini-embedding', input: 'Hello' }],
    ['images/generations', { model: 'acme/openai-image', prompt: 'Hello' }],
    // Also for a repeated request.
    ['embeddings', { model: 'acme/gemini-embedding', input: 'Hello' }],
  ];
  let output = '';
  const statuses: number[] = [];
  for (const [path, body] of requests) {
    const response = await fetch(`${url}/v1/${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${proxyKey}`,
        'idempotency-key': String(Bun.hash(path + JSON.stringify(body))),
      },
      body: JSON.stringify(body),
    });
    statuses.push(response.status);
    output += `${JSON.stringify([...response.headers])}\n${await response.text()}\n`;
  }
  expect(new Set(statuses)).toEqual(new Set([200]));
  expect(output.includes('"idempotent-replayed"')).toBe(true);
  return output;
}

test('no response discloses the supplier of the model', async () => {
  const output = await everyOutput(proxy.url);
  expect(output.split('\n').filter((line) => line.includes(supplier) || line.includes('x-gateway'))).toEqual([]);
});

test('with EXPOSE_DEPLOYMENTS=true every response has a header with it, including replays', async () => {
  const exposing = await harness.openProxy({ EXPOSE_DEPLOYMENTS: 'true' });
  const output = await everyOutput(exposing.url);
  const headers = output.split('\n').filter((line) => line.startsWith('[['));
  for (const line of headers) expect(line).toContain(`["x-gateway-deployment","${supplier}-`);
});
