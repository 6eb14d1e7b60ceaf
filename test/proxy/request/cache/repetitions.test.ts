/**
 * Exact repetitions are answered with stored responses, for nothing: through the real gateway, on two proxies. A model of what
 * should be stored decides what must be a hit.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { usageOf } from '../../../../local/demo-provider/usage.ts';
import { endpoints } from '../../../../proxy/api/endpoints.ts';
import { guardTimeoutMs, waitFor } from '../../../harness/account-view.ts';
import { spentAtRest, violationsAtRest } from '../../../harness/books.ts';
import { inCampaign } from '../../../harness/campaigns.ts';
import type { Customer } from '../../../harness/customers.ts';
import { type Gateway, startGateway } from '../../../harness/gateway.ts';
import type { Served } from '../../../harness/programs.ts';
import { completionOf } from '../../../harness/providers/chunks.ts';
import { chunksResponse, deltasResponse } from '../../../harness/providers/completions.ts';
import { catalogueOfEachKind } from '../../../harness/providers/each-kind.ts';
import { type Behaviour, failWith, rawResponse, wholeResponse } from '../../../harness/providers/scripted-provider.ts';
import { readLeased, readMetric } from '../../../harness/read-metric.ts';
import { usualPatience } from '../../../harness/redis/patience.ts';
import { nextWrite } from './next-write.ts';

const usage = usageOf(9, 5);
const unlimited = { RATE_LIMIT_REQUESTS_PER_MINUTE: '10000000' };

let gateway: Gateway;
let other: Served;
let customer: Customer;
let prompt: string;
beforeAll(async () => {
  gateway = await startGateway({ catalogue: catalogueOfEachKind, proxyEnvironment: unlimited });
  other = await gateway.harness.openProxy(unlimited);
});
afterAll(() => gateway.stop());
beforeEach(async () => {
  customer = await gateway.harness.createCustomer({ usd: '5' });
  prompt = crypto.randomUUID();
  const { provider } = gateway;
  const whole = wholeResponse({ content: 'Hello.', usage: { promptTokens: 9, completionTokens: 5 } });
  const stream = deltasResponse([{ content: 'Hel' }, { content: 'lo.' }], 'stop', usage);
  provider.on('upstream-chat', (truth, request) => (truth.body.stream ? stream : whole)(truth, request));
  const choices = [{ text: 'a', index: 0, logprobs: null, finish_reason: 'stop' }];
  provider.on('upstream-completion', rawResponse(JSON.stringify({ choices, usage })));
  const data = [{ object: 'embedding', index: 0, embedding: [1] }];
  provider.on('upstream-embedding', rawResponse(JSON.stringify({ data, usage })));
  provider.on('upstream-moderation', rawResponse(JSON.stringify({ id: 'modr', model: 'm', results: [judgement] })));
  const ranking = [{ index: 1, relevance_score: 0.9 }];
  const meta = { billed_units: { search_units: 1 }, tokens: { input_tokens: 12 } };
  provider.on('upstream-rerank', rawResponse(JSON.stringify({ id: 'rank', results: ranking, meta })));
  provider.on('upstream-image', rawResponse(JSON.stringify({ created: 1, data: [{ b64_json: 'aGk=' }] })));
  provider.on('upstream-speech', rawResponse('audio', 'audio/mpeg'));
});

const judgement = { flagged: false, categories: { violence: false }, category_scores: { violence: 0.1 } };

interface Sent {
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly by?: Customer;
  readonly at?: Served;
}

const chat = (more: object = {}) => ({ model: 'test/chat', messages: [{ role: 'user', content: prompt }], ...more });

function send(body: object, { path = '/v1/chat/completions', headers, by = customer, at = gateway.proxy }: Sent = {}) {
  return fetch(`${at.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${by.proxyKey}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
}

const reading = { 'x-cache': 'read' };

/** Sends it and waits until its response is stored, or was refused. */
async function sendFirst(body: object, sent: Sent = {}): Promise<Response> {
  const isWritten = await nextWrite(sent.at ?? gateway.proxy);
  const response = await send(body, { headers: reading, ...sent });
  const text = await response.text();
  await isWritten();
  return new Response(text, response);
}

async function repeat(body: object, sent: Sent = {}): Promise<string | null> {
  const response = await send(body, { headers: reading, ...sent });
  await response.text();
  expect(response.status).toBe(200);
  return response.headers.get('x-cache');
}

const asked = () => gateway.provider.requests.length;

const repeatable: Readonly<Record<string, () => object>> = {
  '/v1/chat/completions': () => chat(),
  '/v1/completions': () => ({ model: 'test/completion', prompt, max_tokens: 5 }),
  '/v1/embeddings': () => ({ model: 'test/embedding', input: prompt }),
  '/v1/moderations': () => ({ model: 'test/moderation', input: prompt }),
  '/v1/rerank': () => ({ model: 'test/rerank', query: prompt, documents: ['one', 'two'] }),
  '/v1/messages': () => chat({ max_tokens: 10 }),
  '/v1/responses': () => ({ model: 'test/chat', input: prompt }),
};

test('all endpoints and no others are listed as repeatable', () => {
  const listed = Object.entries(endpoints).filter(([, { isRepeatable }]) => isRepeatable);
  expect(listed.map(([path]) => path).sort()).toEqual(Object.keys(repeatable).sort());
});

describe.each(Object.entries(repeatable))('a repetition at %s', (path, bodyOf) => {
  test('is answered with the stored response, for nothing, on any proxy', async () => {
    const first = await sendFirst(bodyOf(), { path });
    expect(first.status).toBe(200);
    expect(first.headers.get('x-cache')).toBe('miss');
    const [before, spent] = [asked(), await spentAtRest(gateway.harness, customer.accountId)];
    const response = await send(bodyOf(), { path, headers: reading, at: other });
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'x-cache': 'hit',
      'x-cost-usd': '0',
      'x-original-request-id': first.headers.get('x-request-id') as string,
      'x-ratelimit-limit-requests': '10000000',
    });
    expect(response.headers.get('x-request-id')).not.toBe(first.headers.get('x-request-id'));
    const [one, two] = [(await first.json()) as Shown, (await response.json()) as Shown];
    expect(two.usage?.cost ?? 0).toBe(0);
    const { cost: _, ...counts } = one.usage ?? {};
    expect(two.usage ?? {}).toMatchObject(counts);
    expect(asked()).toBe(before);
    expect(await spentAtRest(gateway.harness, customer.accountId)).toBe(spent);
  });
});

interface Shown {
  readonly usage?: { readonly cost?: number };
}

describe('the header x-cache', () => {
  test('is needed: without it nothing is looked for, said or stored', async () => {
    await send(chat({ temperature: 0 }));
    await sendFirst({ ...chat(), seed: 1 });
    const response = await send(chat({ temperature: 0 }), { headers: {} });
    expect(response.headers.get('x-cache')).toBeNull();
    expect(await repeat(chat({ temperature: 0 }))).toBe('miss');
  });

  test('off neither reads nor stores', async () => {
    await sendFirst(chat());
    const before = asked();
    const response = await send(chat(), { headers: { 'x-cache': 'OFF' } });
    expect(response.headers.get('x-cache')).toBeNull();
    expect(asked()).toBe(before + 1);
  });

  test('with another value is refused before anything is held', async () => {
    const response = await send(chat(), { headers: { 'x-cache': 'maybe' } });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { code: 'invalid_parameter', param: 'x-cache' } });
  });

  test.each([
    ['/v1/images/generations', { model: 'test/image', prompt: 'a' }],
    ['/v1/audio/speech', { model: 'test/speech', input: 'a', voice: 'v' }],
  ])('has no effect at %s', async (path, body) => {
    const before = asked();
    for (const _ of [1, 2]) expect(await repeat(body, { path })).toBeNull();
    expect(asked()).toBe(before + 2);
  });
});

describe('a request with an Idempotency-Key', () => {
  test('keeps its own rule, and is neither answered with a stored response nor stored', async () => {
    await sendFirst(chat());
    const before = asked();
    const headers = { ...reading, 'idempotency-key': crypto.randomUUID() };
    expect(await repeat(chat(), { headers })).toBeNull();
    expect(asked()).toBe(before + 1);
  });
});

describe('a response is not stored', () => {
  const finish = (reason: string) => rawResponse(JSON.stringify({ ...completionOf({ content: 'a' }, reason), usage }));
  const cutStream = chunksResponse([]);
  const cases: readonly [why: string, behaviour: Behaviour, body: () => object][] = [
    ['that was filtered', finish('content_filter'), chat],
    ['whose usage is estimated', wholeResponse({ content: 'a' }), chat],
    ['whose streamed usage is estimated', chunksResponse([...chunks('a'), end]), () => chat({ stream: true })],
    ['of a request that its provider stores', finish('stop'), () => chat({ store: true })],
    ['that is an error', failWith(400, 'no'), chat],
    ['that breaks off', cutStream, () => chat({ stream: true })],
    [
      'that is large',
      rawResponse(JSON.stringify({ ...completionOf({ content: 'a'.repeat(1_100_000) }), usage })),
      chat,
    ],
    ['of a large request', finish('stop'), () => chat({ stop: ['a'], tools: [tool('a'.repeat(300_000))] })],
  ];

  test.each(cases)('%s', async (_why, behaviour, bodyOf) => {
    gateway.provider.on('upstream-chat', behaviour);
    await (await send(bodyOf(), { headers: reading })).text();
    // Responses are stored one after the other.
    await sendFirst({ model: 'test/embedding', input: prompt }, { path: '/v1/embeddings' });
    const before = asked();
    const response = await send(bodyOf(), { headers: reading });
    await response.text();
    expect(response.headers.get('x-cache')).not.toBe('hit');
    expect(asked()).toBeGreaterThan(before);
  });

  test('that ended at a limit which only the balance set, but is at a limit of its own', async () => {
    gateway.provider.on('upstream-chat', finish('length'));
    const poor = await gateway.harness.createCustomer({ usd: '0.0005' });
    expect((await sendFirst(chat(), { by: poor })).status).toBe(200);
    await gateway.harness.credit(poor.accountId, '5');
    expect(await repeat(chat(), { by: poor })).toBe('miss');
    await sendFirst(chat({ max_tokens: 5 }));
    expect(await repeat(chat({ max_tokens: 5 }))).toBe('hit');
  });
});

function tool(description: string) {
  return { type: 'function', function: { name: 'f', description, parameters: {} } };
}

function chunks(content: string) {
  const head = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm' };
  return [{ ...head, choices: [{ index: 0, delta: { role: 'assistant', content }, finish_reason: null }] }];
}

const end = { ...chunks('')[0], choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] };

describe('a stored response is given', () => {
  test('to no other organization', async () => {
    const stranger = await gateway.harness.createCustomer({ usd: '5' });
    await sendFirst(chat());
    expect(await repeat(chat(), { by: stranger })).toBe('miss');
    expect(await repeat(chat())).toBe('hit');
  });

  test('to no one if it was moved, changed or made up in Redis (campaign)', async () => {
    const { redis } = gateway.harness;
    await sendFirst(chat());
    const [key = ''] = await redis.keys(`{c*}:response:${customer.accountId}:*`);
    const bytes = await redis.getBuffer(key);
    if (bytes === null) throw new Error('nothing is stored');
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.uint8Array({ maxLength: 200 }), fc.nat()), async (change) => {
        const changed = Buffer.from(bytes);
        if (typeof change === 'number') changed[change % changed.length] = (changed[change % changed.length] ?? 0) ^ 1;
        await redis.set(key, typeof change === 'number' ? changed : Buffer.from(change), 'EX', 60);
        const isWritten = await nextWrite(gateway.proxy);
        expect(await repeat(chat())).toBe('miss');
        await isWritten();
        expect(await repeat(chat())).toBe('hit');
      }),
      { numRuns: inCampaign(10, 50, 40) },
    );
    prompt = crypto.randomUUID();
    await sendFirst(chat());
    const keys = await redis.keys(`{c*}:response:${customer.accountId}:*`);
    const second = keys.find((each) => each !== key) ?? '';
    await redis.set(second, bytes, 'EX', 60);
    expect(await repeat(chat())).toBe('miss');
  });

  test('without a balance', async () => {
    const poor = await gateway.harness.createCustomer({ usd: '0.01' });
    await sendFirst(chat({ max_tokens: 5 }), { by: poor });
    const { sql } = gateway.harness.database;
    await spendAll(poor);
    expect((await send(chat({ max_tokens: 5, seed: 2 }), { by: poor })).status).toBe(403);
    expect(await repeat(chat({ max_tokens: 5 }), { by: poor })).toBe('hit');
    expect(await violationsAtRest(gateway.harness, [poor.accountId])).toEqual([]);
    expect((await sql`SELECT 1 FROM accounts WHERE id = ${poor.accountId} AND balance_nano >= 0`).length).toBe(1);
  });
});

let seeds = 100;
/** Of a request that was not made before. */
const nextSeed = () => {
  seeds += 1;
  return seeds;
};

/** Everything but what is too little for another request. */
async function spendAll(poor: Customer): Promise<void> {
  const ask = () => send(chat({ max_tokens: 1_000, n: 1, seed: nextSeed() }), { by: poor });
  gateway.provider.on('upstream-chat', wholeResponse({ usage: { promptTokens: 9, completionTokens: 900 } }));
  await waitFor('the balance to be spent', guardTimeoutMs, async () => (await ask()).status !== 200);
  const small = () => send(chat({ max_tokens: 5, seed: nextSeed() }), { by: poor });
  gateway.provider.on('upstream-chat', wholeResponse({ usage: { promptTokens: 90, completionTokens: 5 } }));
  await waitFor('the rest to be spent', guardTimeoutMs, async () => (await small()).status === 403);
}

test('while Redis does not reply, a request is an ordinary one and does not wait for it', async () => {
  const { redis } = gateway.harness;
  const at = await gateway.harness.openProxy({ ...unlimited, ...usualPatience });
  await sendFirst(chat(), { at });
  const leased = await readLeased(at);
  const unavailable = () => readMetric(at, 'gateway_cache_lookups_total{result="unavailable"}');
  const before = await unavailable();
  await waitFor('a lease', guardTimeoutMs, async () => {
    await (await send(chat({ seed: 1 }), { at })).text();
    return (await readLeased(at)) > leased;
  });
  await redis.call('CLIENT', 'PAUSE', '3000', 'ALL');
  let isBack = false;
  const back = redis.ping().then(() => {
    isBack = true;
  });
  expect(await repeat(chat(), { at })).toBe('miss');
  expect(isBack).toBe(false);
  await back;
  expect(await unavailable()).toBe(before + 1);
  await at.stop();
});

test('requests in any order on two proxies hit exactly what was stored for the same organization before (campaign)', async () => {
  const customers = [customer, await gateway.harness.createCustomer({ usd: '5' })] as const;
  const step = fc.record({
    who: fc.constantFrom(0, 1),
    at: fc.constantFrom(0, 1),
    seed: fc.nat({ max: 2 }),
    tier: fc.constantFrom(undefined, 'auto'),
    stream: fc.boolean(),
    user: fc.constantFrom('a', 'b'),
    header: fc.constantFrom('read', 'read', 'off', undefined),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40 }), async (steps) => {
      prompt = crypto.randomUUID();
      const stored = new Set<string>();
      for (const { who, at, seed, tier, stream, user, header } of steps) {
        const proxy = at === 0 ? gateway.proxy : other;
        const isWritten = await nextWrite(proxy);
        const [before, by] = [asked(), who === 0 ? customers[0] : customers[1]];
        const headers = header === undefined ? {} : { 'x-cache': header };
        const body = chat({ seed, stream, user, ...(tier !== undefined && { service_tier: tier }) });
        const response = await send(body, { by, at: proxy, headers });
        const text = await response.text();
        expect([response.status, text.includes('Hel')]).toEqual([200, true]);
        const identity = `${who} ${seed} ${tier}`;
        const isHit = header === 'read' && stored.has(identity);
        const expected = header === 'read' ? (isHit ? 'hit' : 'miss') : null;
        expect(response.headers.get('x-cache')).toBe(expected);
        expect(asked() - before).toBe(isHit ? 0 : 1);
        if (header !== 'read' || isHit) continue;
        await isWritten();
        stored.add(identity);
      }
    }),
    { numRuns: inCampaign(3, 10, 7) },
  );
  const accounts = customers.map(({ accountId }) => accountId);
  expect(await violationsAtRest(gateway.harness, accounts)).toEqual([]);
});
