/** What is held, charged and said when the next model has to be asked. */
import { afterAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import OpenAI from 'openai';
import { spentAtRest, violationsAtRest } from '../../harness/books.ts';
import type { Customer } from '../../harness/customers.ts';
import { failWith, hang, streamedResponse, wholeResponse } from '../../harness/providers/scripted-provider.ts';
import { answers, hello, type ModelId, modelIds, models, startRoutedGateway, upstreamOf } from './routed-gateway.ts';

const { harness, provider, proxy, stop, post, ask } = await startRoutedGateway();
afterAll(stop);

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
          : async (truth, request) => {
              await begun.promise;
              return wholeResponse({ usage: { promptTokens: 10, completionTokens: 20 } })(truth, request);
            },
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
      leaving.abort();
      await sent.catch(() => {});
      begun.resolve();
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
