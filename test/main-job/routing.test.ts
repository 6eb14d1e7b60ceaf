/**
 * Which provider and which model serve a request: what its client demands and prefers, compared with a second reading of the
 * rules, and what is held, charged and said when the next model has to be asked.
 */
import { afterAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import OpenAI from 'openai';
import { spentAtRest, violationsAtRest } from '../harness/books.ts';
import type { Customer } from '../harness/customers.ts';
import { startGateway } from '../harness/gateway.ts';
import { failWith, hang, streamedResponse, wholeResponse } from '../harness/providers/scripted-provider.ts';

interface Facts {
  readonly name?: string;
  readonly country?: string;
  readonly retentionDays?: number;
  readonly trains?: boolean;
}

/** By the name of the model at the provider. */
const deployments: Readonly<Record<string, Facts>> = {
  'at-azure-de': { name: 'azure', country: 'DE', retentionDays: 0, trains: false },
  'at-azure-us': { name: 'azure', country: 'US', retentionDays: 30, trains: false },
  'at-openai': { name: 'openai', country: 'US', retentionDays: 30, trains: true },
  'at-local': { name: 'local', country: 'RU', retentionDays: 0 },
  'at-nobody': {},
};

/** Micro-dollars a token, and the most output tokens. */
const models = {
  'test/cheap': { prompt: 1, completion: 2, cap: 100 },
  'test/long': { prompt: 1, completion: 4, cap: 400 },
  'test/dear': { prompt: 8, completion: 16, cap: 100 },
  'test/wordy': { prompt: 2, completion: 1, cap: 500 },
} as const;
type ModelId = keyof typeof models;
const modelIds = Object.keys(models) as ModelId[];
const upstreamOf = (id: ModelId) => `upstream-${id.slice(5)}`;

const facts = ({ country, retentionDays, trains }: Facts) =>
  Object.entries({ country, retentionDays, trains })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `, ${name}: ${value}`)
    .join('');

const catalogue = (baseUrl: string) => `
providers:
  - { id: azure-account-1, publicName: azure, protocol: openai, baseUrl: "${baseUrl}" }
  - { id: openai-account, publicName: openai, protocol: openai, baseUrl: "${baseUrl}", country: US, retentionDays: 30, trains: true }
  - { id: cluster, publicName: local, protocol: openai, baseUrl: "${baseUrl}" }
  - { id: nameless, protocol: openai, baseUrl: "${baseUrl}" }
  - { id: unused, publicName: unused, protocol: openai, baseUrl: "${baseUrl}" }
  - { id: messages, protocol: anthropic, baseUrl: "${baseUrl}" }
  - { id: gemini, protocol: gemini, baseUrl: "${baseUrl}" }
  - { id: responses, protocol: openai-responses, baseUrl: "${baseUrl}" }
models:
  - id: test/spread
    kind: chat
    ownedBy: test
    contextTokens: 32768
    maxOutputTokens: 100
    price: { prompt: "1", completion: "2" }
    deployments:
      - { provider: azure-account-1, model: at-azure-de${facts(deployments['at-azure-de'] ?? {})} }
      - { provider: azure-account-1, model: at-azure-us${facts(deployments['at-azure-us'] ?? {})} }
      - { provider: openai-account, model: at-openai }
      - { provider: cluster, model: at-local${facts(deployments['at-local'] ?? {})} }
      - { provider: nameless, model: at-nobody }
  - id: test/sticky
    kind: chat
    ownedBy: test
    contextTokens: 32768
    maxOutputTokens: 100
    price: { prompt: "1", cachedPrompt: "0.1", completion: "2" }
    deployments: [{ provider: cluster, model: one }, { provider: cluster, model: two }, { provider: cluster, model: three }]
  - { id: test/vectors, kind: embedding, ownedBy: test, contextTokens: 32768, price: { prompt: "1" }, deployments: [{ provider: cluster, model: vectors }] }
${['messages', 'gemini', 'responses', 'cluster']
  .map(
    (provider) =>
      `  - { id: test/${provider}, kind: chat, ownedBy: test, contextTokens: 32768, maxOutputTokens: 100, price: { prompt: "1", completion: "2" }, deployments: [{ provider: ${provider}, model: any }] }`,
  )
  .join('\n')}
${modelIds
  .map(
    (id) =>
      `  - { id: ${id}, kind: chat, ownedBy: test, contextTokens: 32768, maxOutputTokens: ${models[id].cap}, price: { prompt: "${models[id].prompt}", completion: "${models[id].completion}" }, deployments: [{ provider: cluster, model: ${upstreamOf(id)} }] }`,
  )
  .join('\n')}
`;

const { harness, provider, proxy, stop } = await startGateway({
  catalogue,
  proxyEnvironment: { EXPOSE_DEPLOYMENTS: 'true' },
});
afterAll(stop);

const hello = [{ role: 'user', content: 'Hello?' }];
const answers = wholeResponse({ usage: { promptTokens: 10, completionTokens: 5 } });

function post(customer: Customer, body: object, path = 'chat/completions'): Promise<Response> {
  return fetch(`${proxy.url}/v1/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${customer.proxyKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

interface Answer {
  readonly model?: string;
  readonly error?: { readonly code: string; readonly param: string | null; readonly message: string };
}

async function ask(customer: Customer, body: object, path?: string) {
  const response = await post(customer, body, path);
  const answer = (await response.json()) as Answer;
  const served = response.headers.get('x-gateway-deployment')?.split('/').at(-1);
  return { status: response.status, served, answer, cost: response.headers.get('x-cost-usd') };
}

describe('what a request demands of its provider', () => {
  interface Demands {
    readonly only?: string[] | null;
    readonly ignore?: string[] | null;
    readonly country?: string | string[];
    readonly zdr?: boolean;
    readonly data_collection?: 'allow' | 'deny';
    readonly order?: string[];
    readonly allow_fallbacks?: boolean;
  }

  const names = fc.uniqueArray(fc.constantFrom('azure', 'openai', 'local', 'unused', 'AZURE'), { maxLength: 3 });
  const demands: fc.Arbitrary<Demands> = fc.record(
    {
      only: fc.oneof({ weight: 3, arbitrary: names }, fc.constant(null)),
      ignore: names,
      country: fc.constantFrom('DE', 'us', ['RU', 'DE'], ['KZ']),
      zdr: fc.boolean(),
      data_collection: fc.constantFrom('allow', 'deny'),
      order: names,
      allow_fallbacks: fc.boolean(),
    },
    { requiredKeys: [] },
  );

  /** The rules once more: what is not known meets no demand. */
  function mayServe({ name, country, retentionDays, trains }: Facts, wanted: Demands): boolean {
    const has = (list: readonly string[] | null | undefined) =>
      name !== undefined && (list ?? []).some((each) => each.toLowerCase() === name);
    if (wanted.only?.length && !has(wanted.only)) return false;
    if (wanted.ignore?.length && (name === undefined || has(wanted.ignore))) return false;
    const countries = wanted.country === undefined ? undefined : [wanted.country].flat();
    if (countries && !countries.some((code) => code.toUpperCase() === country)) return false;
    if (wanted.zdr && retentionDays !== 0) return false;
    if (wanted.data_collection === 'deny' && trains !== false) return false;
    return !(wanted.order?.length && wanted.allow_fallbacks === false && !has(wanted.order));
  }

  test('is met by whoever serves it, and nobody sees a request that nobody may serve', async () => {
    const customer = await harness.createCustomer({ usd: '100' });
    for (const model of Object.keys(deployments)) provider.on(model, answers);
    await fc.assert(
      fc.asyncProperty(demands, async (wanted) => {
        const before = provider.requests.length;
        const { status, served, answer } = await ask(customer, {
          model: 'test/spread',
          messages: hello,
          provider: wanted,
        });
        const allowed = Object.entries(deployments).filter(([, of]) => mayServe(of, wanted));
        if (allowed.length === 0) {
          expect({ status, code: answer.error?.code }).toEqual({ status: 404, code: 'no_deployment_fits' });
          expect(answer.error?.param).toBe('provider');
          expect(provider.requests.length).toBe(before);
          return;
        }
        expect(status).toBe(200);
        expect(allowed.map(([model]) => model)).toContain(served ?? '');
        // The first of the order that may serve it, whatever the weights.
        const first = wanted.order?.find((name) => allowed.some(([, of]) => of.name === name.toLowerCase()));
        if (first !== undefined) expect(deployments[served ?? '']?.name).toBe(first.toLowerCase());
      }),
      { numRuns: 300 },
    );
    expect(await violationsAtRest(harness, [customer.accountId])).toEqual([]);
  });

  test('is listed by the refusal, each demand with what it excludes', async () => {
    const customer = await harness.createCustomer({ usd: '1' });
    const wanted = { country: 'DE', data_collection: 'deny', ignore: ['azure'] };
    const { answer } = await ask(customer, { model: 'test/spread', messages: hello, provider: wanted });
    expect(answer.error?.message).toBe(
      "No provider of 'test/spread' fits: ignore=azure (request) excludes azure and 1 without a public name; " +
        'country=DE (request) excludes openai, local.',
    );
  });

  test.each([
    [{ only: ['azur'] }, 'provider.only[0]'],
    [{ ignore: ['azure', 'nameless'] }, 'provider.ignore[1]'],
    [{ order: ['cluster'] }, 'provider.order[0]'],
    [{ quantizations: ['int4'] }, 'provider.quantizations'],
    [{ country: 'Germany' }, 'provider.country'],
    [{ zdr: 'yes' }, 'provider.zdr'],
    [{ sort: 'luck' }, 'provider.sort'],
    [{ max_price: { prompt: '1e3' } }, 'provider.max_price.prompt'],
    [{ max_price: { prompt: 0.00000001 } }, 'provider.max_price.prompt'],
    [{ max_price: { image: 1 } }, 'provider.max_price.image'],
  ])('%j is a 400 that names the member', async (wanted, param) => {
    const customer = await harness.createCustomer({ usd: '1' });
    const { status, answer } = await ask(customer, { model: 'test/spread', messages: hello, provider: wanted });
    expect({ status, code: answer.error?.code, param: answer.error?.param }).toEqual({
      status: 400,
      code: 'invalid_parameter',
      param,
    });
  });

  test('without fallbacks no other deployment is tried', async () => {
    const customer = await harness.createCustomer({ usd: '1' });
    for (const model of Object.keys(deployments)) provider.on(model, failWith(400, 'no'));
    provider.on('at-local', failWith(503, 'broken'));
    const before = provider.requests.length;
    const wanted = { order: ['local'], allow_fallbacks: false };
    const { status } = await ask(customer, { model: 'test/spread', messages: hello, provider: wanted });
    expect(status).toBe(502);
    const asked = new Set(provider.requests.slice(before).map(({ body }) => body.model));
    expect([...asked]).toEqual(['at-local']);
  });

  test('a model that costs more than the highest price is left out', async () => {
    const customer = await harness.createCustomer({ usd: '1' });
    for (const id of modelIds) provider.on(upstreamOf(id), answers);
    const body = { models: ['test/dear', 'test/long', 'test/cheap'], messages: hello };
    const withMax = (max: object) => ask(customer, { ...body, provider: { max_price: max } });
    expect((await withMax({ prompt: 8, completion: '16' })).answer.model).toBe('test/dear');
    expect((await withMax({ completion: 4 })).answer.model).toBe('test/long');
    expect((await withMax({ prompt: '1.000000', completion: 3.5 })).answer.model).toBe('test/cheap');
    const refused = await withMax({ prompt: 0.5 });
    expect(refused.answer.error?.message).toBe(
      "No provider of 'test/dear', 'test/long', 'test/cheap' fits: max_price.prompt=0.5 (request) excludes 'test/dear' at 8, " +
        "'test/long' at 1, 'test/cheap' at 1.",
    );
  });
});

describe('several models', () => {
  const failures = {
    broken: failWith(500, 'broken'),
    limited: failWith(429, 'slow down', { 'retry-after': '30' }),
    unknown: failWith(404, 'no such model'),
    long: failWith(400, "This model's maximum context length is 4096 tokens."),
  } as const;

  interface Round {
    readonly asked: readonly ModelId[];
    /** How many of them fail, and with what. */
    readonly failing: readonly (keyof typeof failures)[];
    readonly usage: { readonly promptTokens: number; readonly completionTokens: number };
    readonly cap: number | undefined;
    readonly path: 'chat/completions' | 'responses' | 'messages';
  }

  const round: fc.Arbitrary<Round> = fc
    .uniqueArray(fc.constantFrom(...modelIds), { minLength: 1, maxLength: 4 })
    .chain((asked) =>
      fc.record({
        asked: fc.constant(asked),
        // A deployment that is broken again and again would rest.
        failing: fc.array(fc.constantFrom('unknown', 'long'), { maxLength: asked.length - 1 }),
        usage: fc.record({
          promptTokens: fc.integer({ min: 1, max: 60 }),
          completionTokens: fc.integer({ min: 1, max: 50 }),
        }),
        cap: fc.option(fc.integer({ min: 60, max: 300 }), { nil: undefined }),
        path: fc.constantFrom('chat/completions', 'responses', 'messages'),
      }),
    );

  function bodyOf({ asked, cap, path }: Round): object {
    const [model, ...models] = asked;
    const named = models.length === 0 ? { model } : { model, models };
    if (path === 'responses') return { ...named, input: 'Hello?', ...(cap && { max_output_tokens: cap }) };
    return { ...named, messages: hello, ...((cap || path === 'messages') && { max_tokens: cap ?? 300 }) };
  }

  test('the one that responds is named and charged, in every API format', async () => {
    const customer = await harness.createCustomer({ usd: '100' });
    let spentMicro = 0;
    await fc.assert(
      fc.asyncProperty(round, async (one) => {
        const { asked, failing, usage } = one;
        for (const [index, id] of asked.entries()) {
          const failure = failing[index];
          provider.on(upstreamOf(id), failure === undefined ? wholeResponse({ usage }) : failures[failure]);
        }
        const before = provider.requests.length;
        const { status, answer, cost } = await ask(customer, bodyOf(one), one.path);
        const serving = asked[failing.length] ?? 'test/cheap';
        expect({ status, model: answer.model }).toEqual({ status: 200, model: serving });
        const { prompt, completion } = models[serving];
        const micro = usage.promptTokens * prompt + usage.completionTokens * completion;
        spentMicro += micro;
        expect(Number(cost)).toBe(micro / 1e6);
        // No provider is told of the gateway's own parameters.
        for (const { body } of provider.requests.slice(before)) {
          expect(Object.keys(body)).not.toContain('models');
          expect(Object.keys(body)).not.toContain('provider');
        }
        const sent = provider.requests.at(-1)?.body ?? {};
        const ownCap = models[serving].cap;
        const wantedCap = one.cap ?? (one.path === 'messages' ? 300 : ownCap);
        expect(sent.max_tokens).toBe(Math.min(wantedCap, ownCap));
      }),
      { numRuns: 60 },
    );
    expect(await spentAtRest(harness, customer.accountId)).toBe(BigInt(spentMicro) * 1_000n);
    expect(await violationsAtRest(harness, [customer.accountId])).toEqual([]);
  });

  test('what is held is for the dearest, and covers the prompt and cap of each', async () => {
    for (const id of modelIds) provider.on(upstreamOf(id), answers);
    const quoteOf = async (customer: Customer, body: object) =>
      (await (await post(customer, body, 'quote')).json()) as { model: string; max_cost: number };
    const customer = await harness.createCustomer({ usd: '1' });
    const single = await Promise.all(
      modelIds.map((model) => quoteOf(customer, { model, models: [model], messages: hello })),
    );
    const dearest = single.reduce((most, each) => (each.max_cost > most.max_cost ? each : most));
    const [first, ...others] = modelIds;
    const together = await quoteOf(customer, { model: first, models: others, messages: hello });
    expect(together.model).toBe(dearest.model);
    // The body is longer with more names in it, by less than 100 tokens at 8 micro-dollars.
    expect(together.max_cost).toBeGreaterThanOrEqual(dearest.max_cost);
    expect(together.max_cost).toBeLessThan(dearest.max_cost + 100 * 8e-6);
  });

  test('a balance that covers less lowers the cap of each, and is never overdrawn', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 200, max: 6_000 }),
        fc.shuffledSubarray(modelIds, { minLength: 2 }),
        fc.boolean(),
        async (micro, asked, failsFirst) => {
          const customer = await harness.createCustomer({ usd: (micro / 1e6).toFixed(6) });
          for (const id of asked) {
            // A provider that uses all that it may.
            provider.on(upstreamOf(id), (truth, request) => {
              const completionTokens = Number(truth.body.max_tokens);
              return wholeResponse({ usage: { promptTokens: 10, completionTokens } })(truth, request);
            });
          }
          const [first = 'test/cheap'] = asked;
          if (failsFirst) provider.on(upstreamOf(first), failures.unknown);
          const { status, answer } = await ask(customer, { models: asked, messages: hello });
          if (status === 200) expect(asked).toContain(answer.model as ModelId);
          else expect(['insufficient_balance', 'upstream_error']).toContain(answer.error?.code ?? '');
          expect(await spentAtRest(harness, customer.accountId)).toBeLessThanOrEqual(BigInt(micro) * 1_000n);
          expect(await violationsAtRest(harness, [customer.accountId])).toEqual([]);
        },
      ),
      { numRuns: 20 },
    );
  });

  test('a model whose deployments all rest is passed over', async () => {
    const customer = await harness.createCustomer({ usd: '1' });
    provider.on('upstream-wordy', failures.broken);
    provider.on('upstream-cheap', answers);
    const before = provider.requests.length;
    const rounds = 12;
    for (let index = 0; index < rounds; index += 1) {
      const { answer } = await ask(customer, { models: ['test/wordy', 'test/cheap'], messages: hello });
      expect(answer.model).toBe('test/cheap');
    }
    const asked = provider.requests.slice(before).filter(({ body }) => body.model === 'upstream-wordy');
    expect(asked.length).toBeLessThan(rounds);
    expect(await spentAtRest(harness, customer.accountId)).toBe(BigInt(rounds) * 20_000n);
  });

  test('nothing switches after the first byte, and no other refusal is passed on to another model', async () => {
    const customer = await harness.createCustomer({ usd: '1' });
    provider.on('upstream-long', answers);
    const begun = Promise.withResolvers<void>();
    provider.on(
      'upstream-cheap',
      streamedResponse({ tokens: 9, after: { tokens: 3, ends: 'error', when: begun.promise } }),
    );
    const body = { model: 'test/cheap', models: ['test/long'], messages: hello };
    const before = provider.requests.length;
    const response = await post(customer, { ...body, stream: true });
    begun.resolve();
    expect(await response.text()).toContain('"error"');
    provider.on('upstream-cheap', failWith(400, 'messages[0] is nonsense'));
    const { status, answer } = await ask(customer, body);
    expect({ status, code: answer.error?.code }).toEqual({ status: 400, code: 'upstream_rejected_request' });
    expect(provider.requests.slice(before).map((each) => each.body.model)).toEqual([
      'upstream-cheap',
      'upstream-cheap',
    ]);
  });

  test('a stream of the next model names it in every chunk, for an unmodified client', async () => {
    const customer = await harness.createCustomer({ usd: '1' });
    provider.on('upstream-dear', failures.limited);
    provider.on('upstream-cheap', streamedResponse({ tokens: 4 }));
    const client = new OpenAI({ apiKey: customer.proxyKey, baseURL: `${proxy.url}/v1`, maxRetries: 0 });
    const stream = await client.chat.completions.create({
      model: 'test/dear',
      messages: [{ role: 'user', content: 'Hello?' }],
      stream: true,
      // @ts-expect-error: a parameter that OpenAI does not have.
      models: ['test/cheap'],
    });
    const named = new Set<string>();
    for await (const chunk of stream as AsyncIterable<OpenAI.ChatCompletionChunk>) named.add(chunk.model);
    expect([...named]).toEqual(['test/cheap']);
    // 10 × 1 and 4 × 2 millionths of a dollar.
    expect(await spentAtRest(harness, customer.accountId)).toBe(18_000n);
  });

  test('a client that hangs up asks no other model', async () => {
    const customer = await harness.createCustomer({ usd: '1' });
    provider.on('upstream-dear', hang);
    provider.on('upstream-cheap', answers);
    const before = provider.requests.length;
    const leaving = new AbortController();
    const sent = fetch(`${proxy.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${customer.proxyKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'test/dear', models: ['test/cheap'], messages: hello, stream: true }),
      signal: leaving.signal,
    });
    while (provider.requests.length === before) await Bun.sleep(5);
    leaving.abort();
    await sent.catch(() => {});
    expect(await violationsAtRest(harness, [customer.accountId])).toEqual([]);
    expect(provider.requests.slice(before).map((each) => each.body.model)).toEqual(['upstream-dear']);
  });

  test.each([false, true])(
    'a hang-up while the second one works is charged at its price, streamed: %p',
    async (stream) => {
      const customer = await harness.createCustomer({ usd: '1' });
      provider.on('upstream-dear', failures.unknown);
      const begun = Promise.withResolvers<void>();
      provider.on(
        'upstream-cheap',
        stream
          ? streamedResponse({ tokens: 20, promptTokens: 10, after: { tokens: 5, ends: 'stall', when: begun.promise } })
          : hang,
      );
      const before = provider.requests.length;
      const leaving = new AbortController();
      const sent = fetch(`${proxy.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${customer.proxyKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'test/dear', models: ['test/cheap'], messages: hello, stream }),
        signal: leaving.signal,
      });
      while (provider.requests.length < before + 2) await Bun.sleep(5);
      if (stream) await (await sent).body?.getReader().read();
      begun.resolve();
      leaving.abort();
      await sent.catch(() => {});
      const spent = await spentAtRest(harness, customer.accountId);
      const charges = await harness.database.sql<{ model: string }[]>`
      SELECT model FROM usage_events WHERE account_id = ${customer.accountId}`;
      expect(charges.map(({ model }) => model)).toEqual(['test/cheap']);
      // Between one token of the prompt, and the whole hold of the second model.
      expect(spent).toBeGreaterThan(0n);
      expect(spent).toBeLessThanOrEqual(500_000n);
      expect(await violationsAtRest(harness, [customer.accountId])).toEqual([]);
    },
  );

  test.each([
    [{ models: ['test/none'] }, 404, 'model_not_found', 'models'],
    [{ model: undefined, models: ['test/none', 'test/cheap'] }, 404, 'model_not_found', 'models'],
    [{ models: ['test/vectors'] }, 400, 'invalid_parameter', 'models'],
    [{ models: [] }, 400, 'invalid_parameter', 'models'],
    [{ models: ['a', 'b', 'c', 'd', 'e'] }, 400, 'invalid_parameter', 'models'],
    [{ models: 'test/cheap' }, 400, 'invalid_parameter', 'models'],
  ])('%j is refused', async (extra, status, code, param) => {
    const customer = await harness.createCustomer({ usd: '1' });
    const refused = await ask(customer, { model: 'test/cheap', messages: hello, ...extra });
    expect({ status: refused.status, code: refused.answer.error?.code, param: refused.answer.error?.param }).toEqual({
      status,
      code,
      param,
    });
  });
});

test('no protocol passes the parameters on, and null and defaults mean nothing', async () => {
  const customer = await harness.createCustomer({ usd: '1' });
  const before = provider.requests.length;
  for (const name of ['messages', 'gemini', 'responses', 'cluster']) {
    provider.on('any', failWith(400, 'seen'));
    const body = { model: `test/${name}`, models: null, provider: { zdr: false, sort: 'price' } };
    const [path, rest] =
      name === 'responses' ? ['responses', { input: 'Hello?' }] : ['chat/completions', { messages: hello }];
    const { answer } = await ask(customer, { ...body, ...rest }, path);
    expect(answer.error?.code).toBe('upstream_rejected_request');
  }
  const sent = provider.requests.slice(before);
  expect(sent).toHaveLength(4);
  for (const { body } of sent) {
    expect(Object.keys(body)).not.toContain('provider');
    expect(Object.keys(body)).not.toContain('models');
  }
});

describe('a conversation', () => {
  const turnsOf = (opening: string) => [
    [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: opening },
    ],
    [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: [{ type: 'text', text: opening }] },
      { role: 'assistant', content: 'Yes.' },
      { role: 'user', content: 'Really?' },
    ],
  ];

  test('stays with its deployment, goes elsewhere while that is broken, and others are spread', async () => {
    const customer = await harness.createCustomer({ usd: '1' });
    const names = ['one', 'two', 'three'];
    for (const name of names) provider.on(name, answers);
    const servedBy = async (messages: object[]) =>
      (await ask(customer, { model: 'test/sticky', messages })).served ?? '';
    const used = new Set<string>();
    for (let index = 0; index < 24; index += 1) {
      const [first = [], second = []] = turnsOf(`Question ${index}`);
      const served = await servedBy(first);
      used.add(served);
      expect(await servedBy(second)).toBe(served);
    }
    expect([...used].sort()).toEqual([...names].sort());
    const [messages = []] = turnsOf('Where?');
    const home = await servedBy(messages);
    provider.on(home, failWith(503, 'broken'));
    const other = await servedBy(messages);
    expect(other).not.toBe(home);
    expect(await servedBy(messages)).toBe(other);
    provider.on(home, answers);
    expect(await servedBy(messages)).toBe(home);
  });
});
