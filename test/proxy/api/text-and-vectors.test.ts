/**
 * Text completions and embeddings through the real gateway with OpenAI's own client: what it reads, what the provider
 * receives, and what it costs.
 */
import { afterAll, describe, expect, test } from 'bun:test';
import OpenAI from 'openai';
import { guardTimeoutMs, readLedger, waitFor } from '../../harness/account-view.ts';
import type { Customer } from '../../harness/customers.ts';
import { startGateway } from '../../harness/gateway.ts';
import { chunksResponse } from '../../harness/providers/completions.ts';
import { catalogueOfEachKind } from '../../harness/providers/each-kind.ts';
import { type Behaviour, rawResponse } from '../../harness/providers/scripted-provider.ts';

/** 1,000 nano-dollars per prompt token, 2,000 per output token. */
const { harness, provider, proxy, stop } = await startGateway({ catalogue: catalogueOfEachKind });
let customer: Customer;
let client: OpenAI;

afterAll(stop);

async function newCustomer(usd = '1'): Promise<void> {
  customer = await harness.createCustomer({ usd });
  client = new OpenAI({ baseURL: `${proxy.url}/v1`, apiKey: customer.proxyKey, maxRetries: 0 });
}

async function expectSpent(nano: bigint): Promise<void> {
  await waitFor(
    'the charge',
    guardTimeoutMs,
    async () => (await readLedger(harness, customer.accountId)).spentNano === nano,
  );
}

/** The error that the client throws. Its promises are not native ones. */
const failureOf = (sent: PromiseLike<unknown>): PromiseLike<unknown> =>
  sent.then(
    () => 'an answer',
    (error) => error,
  );
const lastBody = () => provider.requests.at(-1)?.body;
const vectors = (...given: number[][]): Behaviour =>
  rawResponse(
    JSON.stringify({
      data: given.map((embedding, index) => ({ index, embedding })),
      usage: { prompt_tokens: 6, total_tokens: 6 },
    }),
  );

describe('embeddings', () => {
  test('are the same numbers, whether the client requests base64, floats or neither', async () => {
    await newCustomer();
    provider.on('upstream-embedding', vectors([0.5, -1.25], [0.125, 3]));
    const ask = (more: object) => client.embeddings.create({ model: 'test/embedding', input: ['a', 'b'], ...more });
    const expected = [
      [0.5, -1.25],
      [0.125, 3],
    ];
    // openai-node requests base64 by default, and decodes it.
    expect((await ask({})).data.map(({ embedding }) => embedding)).toEqual(expected);
    expect((await ask({ encoding_format: 'float' })).data.map(({ embedding }) => embedding)).toEqual(expected);
    const raw = (await ask({ encoding_format: 'base64' })).data.map(({ embedding }) => String(embedding));
    expect(raw.map((text) => [...new Float32Array(Uint8Array.from(Buffer.from(text, 'base64')).buffer)])).toEqual(
      expected,
    );
    expect(provider.requests.slice(-3).map(({ path, body }) => [path, body.encoding_format])).toEqual([
      ['/v1/embeddings', 'float'],
      ['/v1/embeddings', 'float'],
      ['/v1/embeddings', 'float'],
    ]);
    await expectSpent(18_000n);
  });

  test('pass on dimensions, and the response has the cost', async () => {
    await newCustomer();
    provider.on('upstream-embedding', vectors([1]));
    const response = await client.embeddings.create({
      model: 'test/embedding',
      input: 'a',
      dimensions: 1,
      encoding_format: 'float',
    });
    expect(lastBody()).toMatchObject({ dimensions: 1, model: 'upstream-embedding' });
    expect(response.usage).toEqual({ prompt_tokens: 6, total_tokens: 6, cost: 0.000006 } as never);
  });

  test('count token ids if the provider reports no usage', async () => {
    await newCustomer();
    provider.on('upstream-embedding', rawResponse('{"data":[{"embedding":[1]},{"embedding":[2]}]}'));
    const response = await client.embeddings.create({
      model: 'test/embedding',
      input: [
        [1, 2, 3],
        [4, 5],
      ],
      encoding_format: 'float',
    });
    expect(response.usage.prompt_tokens).toBe(5);
    await expectSpent(5_000n);
  });

  test('cost nothing if the response is not a list of vectors', async () => {
    await newCustomer();
    provider.on('upstream-embedding', rawResponse('{"data":[]}'));
    const failure = await failureOf(client.embeddings.create({ model: 'test/embedding', input: 'a' }));
    expect(failure).toMatchObject({ status: 502, code: 'upstream_error' });
    expect((await readLedger(harness, customer.accountId)).spentNano).toBe(0n);
  });
});

describe('text completions', () => {
  const choices = (...texts: string[]) => texts.map((text, index) => ({ text, index, finish_reason: 'stop' }));
  const usage = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 };

  test('send and charge every prompt of a list', async () => {
    await newCustomer();
    provider.on('upstream-completion', rawResponse(JSON.stringify({ choices: choices('a', 'b', 'c', 'd'), usage })));
    const response = await client.completions.create({
      model: 'test/completion',
      prompt: ['x', 'y'],
      n: 2,
      max_tokens: 5,
    });
    expect(response.choices.map(({ text, finish_reason: reason }) => [text, reason])).toEqual(
      ['a', 'b', 'c', 'd'].map((text) => [text, 'stop']),
    );
    expect(lastBody()).toEqual({ prompt: ['x', 'y'], n: 2, max_tokens: 5, model: 'upstream-completion' });
    await expectSpent(11_000n);
  });

  test('end a stream with their usage if the client requests it', async () => {
    await newCustomer();
    const chunks = [
      { choices: [{ text: 'One' }] },
      { choices: [{ text: ' two' }] },
      { choices: choices('') },
      { choices: [], usage },
    ];
    provider.on('upstream-completion', chunksResponse(chunks));
    const read: string[] = [];
    let counted: unknown;
    const stream = await client.completions.create({
      model: 'test/completion',
      prompt: 'x',
      stream: true,
      stream_options: { include_usage: true },
    });
    for await (const chunk of stream) {
      read.push(chunk.choices[0]?.text ?? '');
      counted = chunk.usage ?? counted;
    }
    expect(read.join('')).toBe('One two');
    expect(counted).toMatchObject({ prompt_tokens: 3, completion_tokens: 4, cost: 0.000011 });
    expect(lastBody()).toMatchObject({ stream: true, stream_options: { include_usage: true }, max_tokens: 100 });
    await expectSpent(11_000n);
  });

  test('hold the cap of every choice that may be generated', async () => {
    // 2 prompts, 3 generations of each, 10 tokens at 2,000 nano-dollars, and the prompt.
    const body = { model: 'test/completion', prompt: ['x', 'y'], n: 1, best_of: 3, max_tokens: 10 };
    const quoted = async () => {
      const response = await fetch(`${proxy.url}/v1/quote`, {
        method: 'POST',
        headers: { authorization: `Bearer ${customer.proxyKey}` },
        body: JSON.stringify(body),
      });
      return (await response.json()) as { max_cost: number; prompt_tokens_max: number };
    };
    await newCustomer('0.0001');
    const { max_cost: cost, prompt_tokens_max: promptTokens } = await quoted();
    expect(Math.round(cost * 1e9)).toBe(promptTokens * 1_000 + 6 * 10 * 2_000);
    expect(await failureOf(client.completions.create(body))).toMatchObject({
      status: 403,
      code: 'insufficient_balance',
    });
  });

  test('models are only served by the endpoint of their kind', async () => {
    await newCustomer();
    const refused = { status: 400, code: 'invalid_parameter', param: 'model' };
    expect(await failureOf(client.completions.create({ model: 'test/chat', prompt: 'x' }))).toMatchObject(refused);
    expect(await failureOf(client.embeddings.create({ model: 'test/completion', input: 'x' }))).toMatchObject(refused);
    const messages = [{ role: 'user' as const, content: 'x' }];
    expect(await failureOf(client.chat.completions.create({ model: 'test/embedding', messages }))).toMatchObject(
      refused,
    );
  });
});
