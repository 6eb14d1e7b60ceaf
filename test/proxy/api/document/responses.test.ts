/**
 * Compares the proxy's actual responses with its document: every body and every event is valid, and has no member and
 * no header that the document does not name.
 */
import { afterAll, describe, expect, test } from 'bun:test';
import { generateKey } from '../../../../shared/keys/api-key.ts';
import { shardOfAccount } from '../../../../shared/wallet/shard.ts';
import { startGateway } from '../../../harness/gateway.ts';
import { closedValidator } from '../../../harness/openapi/closed-validator.ts';
import { type OpenApiDocument, operationsOf, schemaOf } from '../../../harness/openapi/operations-of.ts';
import { chunksResponse } from '../../../harness/providers/completions.ts';
import { catalogueOfEachKind } from '../../../harness/providers/each-kind.ts';
import { imagesResponse, imageUsage } from '../../../harness/providers/images.ts';
import { rawResponse, type Truth } from '../../../harness/providers/scripted-provider.ts';
import { plainAudio } from '../../../harness/providers/speech.ts';

const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
const calls = [{ id: 'call_1', type: 'function', function: { name: 'look', arguments: '{"at":1}' } }];
const head = { id: 'x-1', created: 1_790_000_000, model: 'upstream', system_fingerprint: 'fp' };
const message = { role: 'assistant', content: 'Hi.', reasoning_content: 'Hm.', tool_calls: calls };
const sse = (chunks: object[]) => chunksResponse(chunks.map((chunk) => ({ ...head, ...chunk })));
const chunk = (delta: object, finish_reason: string | null = null) => ({
  object: 'chat.completion.chunk',
  choices: [{ index: 0, delta, finish_reason }],
});

/** The provider's model → its response, whole and streamed. */
const script = {
  'upstream-chat': {
    whole: rawResponse(
      JSON.stringify({
        ...head,
        object: 'chat.completion',
        choices: [{ index: 0, message, finish_reason: 'tool_calls' }],
        usage,
      }),
    ),
    streamed: sse([
      chunk({ role: 'assistant', content: '' }),
      chunk({ reasoning_content: 'Hm.' }),
      chunk({ content: 'Hi.' }),
      chunk({ tool_calls: [{ index: 0, ...calls[0] }] }),
      chunk({ refusal: 'No.' }),
      chunk({}, 'tool_calls'),
      { object: 'chat.completion.chunk', choices: [], usage },
    ]),
  },
  'upstream-completion': {
    whole: rawResponse(
      JSON.stringify({
        ...head,
        object: 'text_completion',
        choices: [{ index: 0, text: 'Hi.', finish_reason: 'stop', logprobs: null }],
        usage,
      }),
    ),
    streamed: sse([
      { object: 'text_completion', choices: [{ index: 0, text: 'Hi.', finish_reason: null, logprobs: null }] },
      { object: 'text_completion', choices: [{ index: 0, text: '', finish_reason: 'stop', logprobs: null }] },
      { object: 'text_completion', choices: [], usage },
    ]),
  },
  'upstream-embedding': {
    whole: rawResponse(
      JSON.stringify({
        object: 'list',
        data: [0, 1].map((index) => ({ object: 'embedding', index, embedding: [0.5] })),
        model: 'upstream',
        usage: { prompt_tokens: 2, total_tokens: 2 },
      }),
    ),
  },
  'upstream-moderation': {
    whole: (truth: Truth, request: Request) => {
      const inputs = [truth.body.input].flat();
      const result = { flagged: false, categories: { violence: false }, category_scores: { violence: 0.1 } };
      return rawResponse(JSON.stringify({ results: inputs.map(() => result) }))(truth, request);
    },
  },
  'upstream-rerank': {
    whole: (truth: Truth, request: Request) => {
      const results = [truth.body.documents].flat().map((_, index) => ({ index, relevance_score: 1 / (index + 2) }));
      return rawResponse(JSON.stringify({ results, usage: { total_tokens: 24 } }))(truth, request);
    },
  },
  'upstream-speech': { whole: plainAudio(['a', 'b', 'c', 'd'].map((text) => new TextEncoder().encode(text))) },
  'upstream-image': {
    whole: imagesResponse(2, {
      usage: { ...imageUsage, output_tokens_details: { image_tokens: 272, text_tokens: 0 } },
      ...{ background: 'opaque', output_format: 'png', quality: 'low', size: '512x512' },
    }),
  },
};

const { harness, proxy, provider, stop } = await startGateway({
  catalogue: (baseUrl) => catalogueOfEachKind(baseUrl, 'demo'),
});
const customer = await harness.createCustomer({ usd: '5' });
const document = (await (await fetch(`${proxy.url}/v1/openapi.json`)).json()) as OpenApiDocument;

afterAll(stop);

const ask = (path: string, { key = customer.proxyKey, body }: { key?: string; body?: unknown } = {}) =>
  fetch(`${proxy.url}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${key}` },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });

/** The gateway's own headers of a response, without those of HTTP itself and of CORS. */
const ownHeaders = (headers: Headers) =>
  [...headers.keys()].filter(
    (name) =>
      !/^(access-control-.*|connection|content-.*|date|keep-alive|transfer-encoding|x-accel-buffering)$/.test(name),
  );

const dataOf = (stream: string) =>
  stream
    .split('\n')
    .filter((line) => line.startsWith('data: ') && line !== 'data: [DONE]')
    .map((line) => JSON.parse(line.slice('data: '.length)));

test('every request example gets a response that fits the document', async () => {
  const { problems } = closedValidator(document);
  const seen: string[] = [];
  for (const { route, requestBody, responses } of operationsOf(document)) {
    const [method, path = ''] = route.split(' ');
    if (method !== 'POST') continue;
    const documentedResponse = responses['200'];
    for (const [title, { value }] of Object.entries(requestBody?.content['application/json']?.examples ?? {})) {
      const isStreamed = Object(value).stream === true || Object(value).stream_format === 'sse';
      for (const [model, { whole, ...rest }] of Object.entries(script)) {
        provider.on(model, isStreamed && 'streamed' in rest ? rest.streamed : whole);
      }
      const response = await ask(path, { body: value });
      const text = await response.text();
      expect({ route, title, status: response.status, text: response.ok ? '' : text }).toMatchObject({
        status: 200,
        text: '',
      });
      const documented = Object.keys(documentedResponse?.headers ?? {});
      const isAudio = response.headers.get('content-type')?.startsWith('audio/') ?? false;
      if (isStreamed || isAudio) documented.push('cache-control');
      expect({
        route,
        undocumented: ownHeaders(response.headers).filter((name) => !documented.includes(name)),
      }).toEqual({
        route,
        undocumented: [],
      });
      if (isAudio) continue;
      const schema = schemaOf(documentedResponse, isStreamed ? 'text/event-stream' : 'application/json');
      const values = isStreamed ? dataOf(text) : [JSON.parse(text)];
      expect(values.length).toBeGreaterThan(isStreamed ? 3 : 0);
      for (const one of values) {
        const found = problems(schema, one);
        expect({ route, title, found, one: found.length === 0 ? '' : one }).toEqual({
          route,
          title,
          found: [],
          one: '',
        });
      }
      seen.push(route);
    }
    expect(Object.keys(responses)).toContain('200');
  }
  expect(new Set(seen).size).toBe(11);
});

test('the responses for models fit the document', async () => {
  const { problems } = closedValidator(document);
  expect(problems('#/components/schemas/ModelList', await (await ask('/v1/models')).json())).toEqual([]);
  expect(problems('#/components/schemas/Model', await (await ask('/v1/models/demo%2Fchat')).json())).toEqual([]);
  expect(problems('#/components/schemas/Model', await (await ask('/v1/models/demo%2Fimage')).json())).toEqual([]);
});

test('the responses for the key and the balance fit the document', async () => {
  const { problems } = closedValidator(document);
  for (const [path, schema] of [
    ['/v1/key', 'KeyStatus'],
    ['/v1/credits', 'Credits'],
  ]) {
    const response = await ask(String(path));
    expect(problems(`#/components/schemas/${schema}`, await response.json())).toEqual([]);
    const documented = Object.keys(document.paths[String(path)]?.get?.responses['200']?.headers ?? {});
    expect(ownHeaders(response.headers).filter((name) => !documented.includes(name))).toEqual([]);
  }
});

describe('a refused request', () => {
  test.each([
    ['/v1/chat/completions', { model: 'demo/chat' }, 'missing_parameter'],
    ['/v1/chat/completions', { model: 'no/such', messages: [{ role: 'user', content: '' }] }, 'model_not_found'],
    ['/v1/messages', { model: 'demo/chat', max_tokens: 1, messages: [] }, 'invalid_parameter'],
    ['/v1/messages/count_tokens', { model: 'no/such', messages: [{ role: 'user', content: '' }] }, 'model_not_found'],
    ['/v1/responses', { model: 'demo/chat', input: 'Hi', background: true }, 'unsupported_parameter'],
    ['/v1/quote', { model: 'no/such' }, 'model_not_found'],
  ])('returns %s with the documented shape and status: %#', async (path, body, code) => {
    const response = await ask(path, { body });
    const refusal = Object(await response.json());
    expect(refusal.error.code).toBe(code);
    const documentedRefusal = document.paths[path]?.post?.responses[response.status];
    expect(closedValidator(document).problems(schemaOf(documentedRefusal, 'application/json'), refusal)).toEqual([]);
    expect(documentedRefusal?.content?.['application/json']?.examples).toHaveProperty(code);
    const documented = Object.keys(documentedRefusal?.headers ?? {});
    expect(ownHeaders(response.headers).filter((name) => !documented.includes(name))).toEqual([]);
  });
});

test('the error examples are word for word what the proxy returns', async () => {
  const chat = '/v1/chat/completions';
  const hello = { model: 'demo/chat', messages: [{ role: 'user', content: 'Hello!' }] };
  const refused: [string, string, { key?: string; text: string }][] = [
    ['missing_api_key', chat, { key: '', text: '{}' }],
    ['invalid_api_key', chat, { key: 'nonsense', text: '{}' }],
    ['wrong_key_type', chat, { key: generateKey('billing', shardOfAccount(1)), text: '{}' }],
    ['invalid_json', chat, { text: '{"model"' }],
    ['body_too_complex', chat, { text: '['.repeat(200) }],
    ['missing_parameter', chat, { text: '{"model":"demo/chat"}' }],
    ['invalid_parameter', chat, { text: JSON.stringify({ ...hello, temperature: 3 }) }],
    ['unsupported_parameter', chat, { text: JSON.stringify({ ...hello, service_tier: 'scale' }) }],
    ['model_not_found', chat, { text: JSON.stringify({ ...hello, model: 'demo/chatt' }) }],
    ['missing_parameter', '/v1/messages', { text: JSON.stringify(hello) }],
    ['invalid_parameter', '/v1/messages', { text: JSON.stringify({ ...hello, max_tokens: 1, temperature: 2 }) }],
    ['missing_parameter', '/v1/embeddings', { text: '{"model":"demo/embedding"}' }],
  ];
  for (const [code, path, { key = customer.proxyKey, text }] of refused) {
    const response = await fetch(`${proxy.url}${path}`, {
      method: 'POST',
      headers: key === '' ? {} : { authorization: `Bearer ${key}` },
      body: text,
    });
    const examples = document.paths[path]?.post?.responses[response.status]?.content?.['application/json']?.examples;
    expect(Object(await response.json()).error).toEqual(Object(examples?.[code]?.value).error);
  }
});

describe('the document itself', () => {
  test('needs no key, has an ETag, and its server URL is where it was read', async () => {
    const first = await fetch(`${proxy.url}/v1/openapi.json`);
    expect(first.status).toBe(200);
    expect(first.headers.get('content-type')).toBe('application/json');
    expect(document.servers).toEqual([{ url: '/' }]);
    const again = await fetch(`${proxy.url}/v1/openapi.json`, {
      headers: { 'if-none-match': first.headers.get('etag') ?? '' },
    });
    expect(again.status).toBe(304);
  });
});
