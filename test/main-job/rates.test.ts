/**
 * Rates for long prompts and service tiers through both programs: what any request is charged, held and told, compared with
 * prices that are written here once more, by hand.
 */
import { afterAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import OpenAI from 'openai';
import { type TokenPrice, tokenUnits } from '../../shared/usage/billable-units.ts';
import { guardTimeoutMs, logIn, waitFor } from '../harness/account-view.ts';
import { spentAtRest } from '../harness/books.ts';
import { type Customer, testPassword } from '../harness/customers.ts';
import { startGateway } from '../harness/gateway.ts';
import { chunkOf, completionOf, firstChunk, usageChunk } from '../harness/providers/chunks.ts';
import { chunksResponse } from '../harness/providers/completions.ts';
import { type Behaviour, failWith, rawResponse, streamedResponse } from '../harness/providers/scripted-provider.ts';

const model = (id: string, price: string, upstream = 'upstream-rated') => `
  - id: ${id}
    kind: chat
    ownedBy: test
    contextTokens: 32768
    maxOutputTokens: 500
    price: { ${price} }
    deployments: [{ provider: scripted, model: ${upstream} }]`;

const rated = (usual: string) => `prompt: "${usual}", cachedPrompt: "0.25", completion: "4",
      steps: [{ above: 1000, prompt: "2", completion: "6" }],
      tiers: {
        flex: { prompt: "0.5", completion: "2", steps: [{ above: 1000, prompt: "1", completion: "3" }] },
        priority: { prompt: "2", cachedPrompt: "0.5", completion: "8", steps: [{ above: 1000, prompt: "4", completion: "12" }] }
      }`;

const fee = 'prompt: "1", completion: "4", request: "0.0015"';
const feeNano = 1_500_000n;

const catalogue = (baseUrl: string, repriced = '1') => `
providers:
  - { id: scripted, protocol: openai, baseUrl: "${baseUrl}" }
  - { id: messages, protocol: anthropic, baseUrl: "${baseUrl}" }
models:
  - id: test/cached
    kind: chat
    ownedBy: test
    contextTokens: 32768
    maxOutputTokens: 500
    price: { prompt: "1", cachedPrompt: "0.1", cacheWrite: "1.25", cacheWrite1h: "2", completion: "4" }
    deployments: [{ provider: messages, model: upstream-cached }]
${model('test/rated', rated('1'))}${model('test/repriced', rated(repriced))}${model('test/flex', 'prompt: "1", completion: "4", tiers: { flex: { prompt: "0.5", completion: "2" } }')}
${model('test/plain', 'prompt: "1", completion: "4"')}
${model('test/fee', fee)}${model('test/left', fee, 'upstream-left')}
`;

/** Prompt, cached prompt, completion; in nano-dollars per thousand tokens, so that they are whole. */
const prices: Readonly<Record<string, readonly [number, number, number]>> = {
  default: [1_000_000, 250_000, 4_000_000],
  'default>1000': [2_000_000, 250_000, 6_000_000],
  flex: [500_000, 250_000, 2_000_000],
  'flex>1000': [1_000_000, 250_000, 3_000_000],
  priority: [2_000_000, 500_000, 8_000_000],
  'priority>1000': [4_000_000, 500_000, 12_000_000],
};

const { harness, provider, admin, proxy, stop } = await startGateway({ catalogue: (baseUrl) => catalogue(baseUrl) });
afterAll(stop);

interface Usage {
  readonly prompt: number;
  readonly cached: number;
  readonly completion: number;
}

interface Exchange {
  readonly requested: 'default' | 'auto' | 'flex' | 'priority' | undefined;
  /** By the provider, as `service_tier`. */
  readonly reported: string | undefined;
  readonly usage: Usage;
  readonly isStream: boolean;
  readonly path: 'chat/completions' | 'responses' | 'messages';
}

const exchange: fc.Arbitrary<Exchange> = fc.record({
  requested: fc.constantFrom('default', 'auto', 'flex', 'priority', undefined),
  reported: fc.constantFrom('default', 'flex', 'priority', 'on_demand', undefined),
  usage: fc
    .record({
      prompt: fc.oneof(fc.integer({ min: 1, max: 2_500 }), fc.constantFrom(1_000, 1_001)),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
      completion: fc.integer({ min: 1, max: 400 }),
    })
    .map(({ prompt, share, completion }) => ({ prompt, cached: Math.floor(prompt * share), completion })),
  isStream: fc.boolean(),
  path: fc.constantFrom('chat/completions', 'responses', 'messages'),
});

function rateOf({ requested, reported, usage }: Exchange): string {
  const asked = requested === 'flex' || requested === 'priority' ? requested : 'default';
  const tier = reported === 'default' ? 'default' : asked;
  return usage.prompt > 1_000 ? `${tier}>1000` : tier;
}

function costNano(of: Exchange): bigint {
  const [prompt, cached, completion] = prices[rateOf(of)] ?? [0, 0, 0];
  const { usage } = of;
  const thousandths = (usage.prompt - usage.cached) * prompt + usage.cached * cached + usage.completion * completion;
  return BigInt(Math.ceil(thousandths / 1_000));
}

function respondTo({ isStream, reported, usage }: Exchange): Behaviour {
  const counts = {
    prompt_tokens: usage.prompt,
    completion_tokens: usage.completion,
    total_tokens: usage.prompt + usage.completion,
    prompt_tokens_details: { cached_tokens: usage.cached },
  };
  const tier = reported === undefined ? {} : { service_tier: reported };
  if (!isStream) {
    return rawResponse(JSON.stringify({ ...completionOf({ content: 'Yes.' }), ...tier, usage: counts }));
  }
  const chunks = [firstChunk, chunkOf({ content: 'Yes.' }), chunkOf({}, 'stop'), usageChunk(counts)];
  return chunksResponse(chunks.map((chunk) => ({ ...chunk, ...tier })));
}

const prompt = 'word '.repeat(600);
const withUsage = (isStream: boolean) => (isStream ? { stream_options: { include_usage: true } } : {});

function send(customer: Customer, { path, requested, isStream }: Exchange, id = 'test/rated'): Promise<Response> {
  const bodies = {
    'chat/completions': {
      messages: [{ role: 'user', content: prompt }],
      max_completion_tokens: 400,
      ...withUsage(isStream),
    },
    responses: { input: prompt, max_output_tokens: 400 },
    messages: { messages: [{ role: 'user', content: prompt }], max_tokens: 400 },
  };
  return fetch(`${proxy.url}/v1/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${customer.proxyKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: id, ...bodies[path], stream: isStream, service_tier: requested }),
  });
}

async function receiptOf(customer: Customer, requestId: string | null): Promise<object> {
  const login = await fetch(`${admin.url}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: customer.email, password: testPassword }),
  });
  const { accessToken } = (await login.json()) as { accessToken: string };
  const response = await fetch(`${admin.url}/api/requests/${requestId}`, {
    headers: { authorization: `Bearer ${accessToken}` },
  });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  return (await response.json()) as object;
}

/** Of a receipt: all classes of tokens, of which these were used. */
const partsOf = (used: Partial<Record<TokenPrice, object>>) =>
  tokenUnits.map(({ price }) => ({ class: price, ...(used[price] ?? { tokens: 0 }) }));

const usd = (nano: bigint) => Number(nano) / 1e9;

test('any request is charged at the rate of its tier and of its prompt, whatever its API format', async () => {
  const customer = await harness.createCustomer({ usd: '100' });
  let spent = 0n;
  await fc.assert(
    fc.asyncProperty(exchange, async (one) => {
      provider.on('upstream-rated', respondTo(one));
      const response = await send(customer, one);
      const text = await response.text();
      expect(response.status).toBe(200);
      spent += costNano(one);
      const sent = (provider.requests.at(-1)?.body as { service_tier?: string } | undefined)?.service_tier;
      const isPriced = one.requested === 'flex' || one.requested === 'priority';
      if (isPriced) expect(sent).toBe(one.requested ?? '');
      else expect(['auto', 'default', undefined]).toContain(sent);
      if (!one.isStream) expect(Number(response.headers.get('x-cost-usd'))).toBe(usd(costNano(one)));
      else if (one.path !== 'messages') expect(text).toContain(`"cost":${usd(costNano(one))}`);
    }),
    { numRuns: 150 },
  );
  expect(await spentAtRest(harness, customer.accountId)).toBe(spent);
});

describe('the receipt', () => {
  test('names the rate, adds up, and stays what it was when the prices change', async () => {
    const customer = await harness.createCustomer({ usd: '10' });
    const usage = { prompt: 1_500, cached: 500, completion: 100 };
    const one: Exchange = { requested: 'flex', reported: 'flex', usage, isStream: false, path: 'chat/completions' };
    provider.on('upstream-rated', respondTo(one));
    const { headers } = await send(customer, one, 'test/repriced');
    // 1,000 × 1 + 500 × 0.25 + 100 × 3 millionths of a dollar.
    expect(await spentAtRest(harness, customer.accountId)).toBe(1_425_000n);
    await harness.applyCatalogue(catalogue(provider.baseUrl, '1.1'));
    const receipt = await receiptOf(customer, headers.get('x-request-id'));
    expect(receipt).toMatchObject({
      charged: '0.001425',
      price: {
        perMillionTokens: { prompt: '1' },
        rates: [
          { serviceTier: 'default', abovePromptTokens: 1_000, perMillionTokens: { prompt: '2', reasoning: '6' } },
          { serviceTier: 'flex', abovePromptTokens: 0, perMillionTokens: { prompt: '0.5', cachedPrompt: '0.25' } },
          { serviceTier: 'flex', abovePromptTokens: 1_000, perMillionTokens: { prompt: '1', completion: '3' } },
          { serviceTier: 'priority', abovePromptTokens: 0, perMillionTokens: { cachedPrompt: '0.5' } },
          { serviceTier: 'priority', abovePromptTokens: 1_000, perMillionTokens: { prompt: '4', completion: '12' } },
        ],
      },
      cost: {
        rate: { serviceTier: 'flex', abovePromptTokens: 1_000 },
        parts: partsOf({
          prompt: { tokens: 1_000, perMillionTokens: '1', amount: '0.001' },
          cachedPrompt: { tokens: 500, perMillionTokens: '0.25', amount: '0.000125' },
          completion: { tokens: 100, perMillionTokens: '3', amount: '0.0003' },
        }),
        total: '0.001425',
      },
    });
  });

  test('has no rate where the usual prices applied', async () => {
    const customer = await harness.createCustomer({ usd: '10' });
    const usage = { prompt: 1_000, cached: 0, completion: 1 };
    const one: Exchange = { requested: 'priority', reported: 'default', usage, isStream: true, path: 'responses' };
    provider.on('upstream-rated', respondTo(one));
    const response = await send(customer, one);
    await response.text();
    expect(await spentAtRest(harness, customer.accountId)).toBe(1_004_000n);
    const receipt = await receiptOf(customer, response.headers.get('x-request-id'));
    expect(receipt).toMatchObject({ charged: '0.001004', cost: { rate: null, total: '0.001004' } });
  });
});

test('a request is held at the highest rate that it can reach, and released when it fails', async () => {
  const customer = await harness.createCustomer({ usd: '10' });
  const account = await logIn(admin, customer);
  const { promise, resolve } = Promise.withResolvers<void>();
  provider.on('upstream-rated', async (truth, request) => {
    await promise;
    return failWith(400, 'no')(truth, request);
  });
  const usage = { prompt: 1, cached: 0, completion: 1 };
  const sent = send(customer, { requested: 'priority', reported: undefined, usage, isStream: true, path: 'messages' });
  await waitFor('the hold', guardTimeoutMs, async () => (await account.balance()).reserved > 0);
  const { reserved } = await account.balance();
  // 3,000 bytes of words at 4 millionths of a dollar, and 400 tokens at 12; the rest of the body is shorter than 1,000 bytes.
  expect(reserved).toBeGreaterThan(3_000 * 4e-6 + 400 * 12e-6);
  expect(reserved).toBeLessThan(4_000 * 4e-6 + 400 * 12e-6);
  resolve();
  expect((await sent).status).toBe(400);
  expect(await spentAtRest(harness, customer.accountId)).toBe(0n);
});

test('a service tier without a price is refused with those that there are, before anything is held', async () => {
  const customer = await harness.createCustomer({ usd: '10' });
  const client = new OpenAI({ baseURL: `${proxy.url}/v1`, apiKey: customer.proxyKey, maxRetries: 0 });
  const refused = [
    ['test/flex', 'priority', 'default, flex'],
    ['test/plain', 'flex', 'default'],
  ] as const;
  const sentBefore = provider.requests.length;
  for (const [id, tier, offered] of refused) {
    const request = client.chat.completions.create({
      model: id,
      messages: [{ role: 'user', content: 'Hello' }],
      service_tier: tier,
    });
    const error = await request.then(
      () => undefined,
      (reason: unknown) => reason as InstanceType<typeof OpenAI.APIError>,
    );
    expect(error).toMatchObject({ status: 400, code: 'unsupported_parameter', param: 'service_tier' });
    expect(error?.message).toEndWith(`It has: ${offered}.`);
  }
  expect(provider.requests.length).toBe(sentBefore);
  expect(await spentAtRest(harness, customer.accountId)).toBe(0n);
});

describe('a price per request', () => {
  const usage = { prompt: 300, cached: 0, completion: 10 };
  // 300 × 1 + 10 × 4 millionths of a dollar.
  const tokensNano = 340_000n;
  const one: Exchange = { requested: undefined, reported: undefined, usage, isStream: false, path: 'chat/completions' };

  test.each([false, true])(
    'is charged once in addition to the tokens, and is on the receipt (stream: %p)',
    async (isStream) => {
      const customer = await harness.createCustomer({ usd: '10' });
      provider.on('upstream-rated', respondTo({ ...one, isStream }));
      const response = await send(customer, { ...one, isStream }, 'test/fee');
      await response.text();
      expect(await spentAtRest(harness, customer.accountId)).toBe(feeNano + tokensNano);
      expect(await receiptOf(customer, response.headers.get('x-request-id'))).toMatchObject({
        charged: '0.00184',
        pricedRequests: 1,
        price: { perUnit: [{ unit: 'request', price: '0.0015' }] },
        cost: { units: [{ unit: 'request', count: 1, price: '0.0015', amount: '0.0015' }], exact: '0.00184' },
      });
    },
  );

  test('is held, and not charged for a request that fails', async () => {
    const customer = await harness.createCustomer({ usd: '10' });
    const account = await logIn(admin, customer);
    const { promise, resolve } = Promise.withResolvers<void>();
    provider.on('upstream-rated', async (truth, request) => {
      await promise;
      return failWith(400, 'no')(truth, request);
    });
    const sent = send(customer, one, 'test/fee');
    await waitFor('the hold', guardTimeoutMs, async () => (await account.balance()).reserved > 0);
    const { reserved } = await account.balance();
    expect(reserved).toBeGreaterThan(usd(feeNano) + 3_000e-6 + 400 * 4e-6);
    expect(reserved).toBeLessThan(usd(feeNano) + 4_000e-6 + 400 * 4e-6);
    resolve();
    expect((await sent).status).toBe(400);
    expect(await spentAtRest(harness, customer.accountId)).toBe(0n);
  });

  test('is charged to a client that hangs up in the middle of a stream', async () => {
    const customer = await harness.createCustomer({ usd: '10' });
    // Other responses have more tokens than text, so their deployment seems to reason.
    provider.on('upstream-left', streamedResponse({ tokens: 200, after: { tokens: 5, ends: 'stall' } }));
    const response = await send(customer, { ...one, isStream: true }, 'test/left');
    const reader = response.body?.getReader();
    await reader?.read();
    await reader?.cancel();
    const spent = await spentAtRest(harness, customer.accountId);
    expect(spent).toBeGreaterThan(feeNano);
    expect(spent).toBeLessThan(feeNano + 4_000_000n);
    const receipt = await receiptOf(customer, response.headers.get('x-request-id'));
    expect(receipt).toMatchObject({ estimated: true, cost: { units: [{ unit: 'request', count: 1 }] } });
  });
});

describe('a cache write of an hour', () => {
  const marked = (ttl: string) => [{ type: 'text', text: prompt, cache_control: { type: 'ephemeral', ttl } }];
  const ask = (customer: Customer, model: string, ttl: string) =>
    fetch(`${proxy.url}/v1/messages`, {
      method: 'POST',
      headers: { authorization: `Bearer ${customer.proxyKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model, system: marked(ttl), messages: [{ role: 'user', content: 'Go' }], max_tokens: 9 }),
    });

  test('is asked for, reported, charged at its own price, and on the receipt', async () => {
    const customer = await harness.createCustomer({ usd: '10' });
    const counts = {
      input_tokens: 10,
      cache_read_input_tokens: 20,
      cache_creation_input_tokens: 700,
      output_tokens: 5,
    };
    const byLifetime = { ephemeral_5m_input_tokens: 100, ephemeral_1h_input_tokens: 600 };
    provider.on(
      'upstream-cached',
      rawResponse(
        JSON.stringify({
          ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'upstream-cached', stop_sequence: null },
          ...{ content: [{ type: 'text', text: 'Yes.' }], stop_reason: 'end_turn' },
          usage: { ...counts, cache_creation: byLifetime },
        }),
      ),
    );
    const response = await ask(customer, 'test/cached', '1h');
    const { usage } = (await response.json()) as { usage: object };
    // 10 × 1 + 20 × 0.1 + 100 × 1.25 + 600 × 2 + 5 × 4 millionths of a dollar.
    expect(usage).toMatchObject({ ...counts, cache_creation: byLifetime, cost: 0.001357 });
    expect(JSON.stringify(provider.requests.at(-1)?.body)).toContain('{"type":"ephemeral","ttl":"1h"}');
    expect(await spentAtRest(harness, customer.accountId)).toBe(1_357_000n);
    const receipt = await receiptOf(customer, response.headers.get('x-request-id'));
    expect(receipt).toMatchObject({
      promptTokens: 730,
      cacheWriteTokens: 700,
      cacheWrite1hTokens: 600,
      cost: {
        rate: null,
        parts: partsOf({
          prompt: { tokens: 10 },
          cachedPrompt: { tokens: 20 },
          cacheWrite: { tokens: 100, amount: '0.000125' },
          cacheWrite1h: { tokens: 600, perMillionTokens: '2', amount: '0.0012' },
          completion: { tokens: 5 },
        }),
      },
    });
  });

  test('is refused where the model has no price for it, by the path in the request', async () => {
    const customer = await harness.createCustomer({ usd: '10' });
    const response = await ask(customer, 'test/plain', '1h');
    const { error } = (await response.json()) as { error: { message: string } };
    expect([response.status, error.message]).toEqual([400, expect.stringContaining('test/plain')]);
    expect(await spentAtRest(harness, customer.accountId)).toBe(0n);
  });
});

test('the price list has every rate, in dollars and roubles', async () => {
  const { data } = (await (await fetch(`${proxy.url}/v1/models`)).json()) as {
    data: { id: string; pricing: object; pricing_rub: object }[];
  };
  const [cached, first, , flex, plain] = data;
  expect(cached?.pricing).toMatchObject({ cache_write: '0.00000125', cache_write_1h: '0.000002' });
  expect(first?.pricing).toMatchObject({
    prompt: '0.000001',
    rates: [
      { service_tier: 'default', above_prompt_tokens: 1_000, prompt: '0.000002', cached_prompt: '0.00000025' },
      { service_tier: 'flex', above_prompt_tokens: 0, prompt: '0.0000005', completion: '0.000002' },
      { service_tier: 'flex', above_prompt_tokens: 1_000, prompt: '0.000001', completion: '0.000003' },
      { service_tier: 'priority', above_prompt_tokens: 0, prompt: '0.000002', cached_prompt: '0.0000005' },
      { service_tier: 'priority', above_prompt_tokens: 1_000, prompt: '0.000004', completion: '0.000012' },
    ],
  });
  expect(flex?.pricing_rub).toMatchObject({
    rates: [{ service_tier: 'flex', above_prompt_tokens: 0, prompt_per_100k: expect.any(String) }],
  });
  expect(plain?.pricing).not.toHaveProperty('rates');
});
