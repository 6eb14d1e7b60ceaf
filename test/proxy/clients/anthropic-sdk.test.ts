/** Anthropic's own client, unchanged, through the real gateway: it may talk to any chat model, and pays the same. */
import { afterAll, describe, expect, test } from 'bun:test';
import Anthropic from '@anthropic-ai/sdk';
import { readLedger, waitFor } from '../../harness/account-view.ts';
import { chat } from '../../harness/chat.ts';
import type { Customer } from '../../harness/customers.ts';
import { startGateway } from '../../harness/gateway.ts';
import {
  answerRaw,
  answerStream,
  answerWhole,
  type Behaviour,
  failWith,
  hang,
} from '../../harness/scripted-provider.ts';

const { harness, provider, proxy, stop } = await startGateway({ MAX_BODY_BYTES: '100000' });

afterAll(stop);

const hello: Anthropic.MessageParam = { role: 'user', content: 'Hello?' };
const request = { model: 'test/chat', max_tokens: 100, messages: [hello] };
const clock: Anthropic.Tool = { name: 'clock', input_schema: { type: 'object', properties: {} } };
const weather: Anthropic.Tool = {
  name: 'weather',
  input_schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};
const usage = { prompt_tokens: 20, completion_tokens: 10, total_tokens: 30 };
/** 20 and 10 tokens at 0.60 and 1.80 USD per million. */
const costNano = 30_000n;

const clientOf = (apiKey: string, maxRetries = 0) =>
  new Anthropic({ baseURL: proxy.url, apiKey, authToken: null, maxRetries, logLevel: 'off' });

async function startCustomer(usd = '1'): Promise<{ customer: Customer; client: Anthropic }> {
  const customer = await harness.createCustomer({ usd });
  return { customer, client: clientOf(customer.proxyKey) };
}

async function spentAtRest({ accountId }: Customer): Promise<bigint> {
  return waitFor('the ledger', 5_000, async () => {
    const wallet = await harness.keeper.readWallet(accountId);
    const { balanceNano, spentNano } = await readLedger(harness, accountId);
    return wallet?.heldNano === 0n && balanceNano === wallet.availableNano ? spentNano : undefined;
  });
}

const head = (object: string) => ({ id: 'c', object, created: 1, model: 'scripted-model' });

function answerMessage(message: object, finish = 'stop'): Behaviour {
  const choices = [{ index: 0, message: { role: 'assistant', content: null, ...message }, finish_reason: finish }];
  return answerRaw(JSON.stringify({ ...head('chat.completion'), choices, usage }));
}

function answerDeltas(deltas: readonly object[], finish = 'stop'): Behaviour {
  const chunk = (members: object) => `data: ${JSON.stringify({ ...head('chat.completion.chunk'), ...members })}\n\n`;
  const choice = (delta: object, finish_reason: string | null) => ({ choices: [{ index: 0, delta, finish_reason }] });
  const chunks = [
    chunk(choice({ role: 'assistant', content: '' }, null)),
    ...deltas.map((delta) => chunk(choice(delta, null))),
    chunk(choice({}, finish)),
    chunk({ choices: [], usage }),
    'data: [DONE]\n\n',
  ];
  return answerRaw(chunks.join(''), 'text/event-stream');
}

const toolCalls = [
  { index: 0, id: 'call_a', type: 'function', function: { name: 'weather', arguments: '{"city":"Oslo"}' } },
  { index: 1, id: 'call_b', type: 'function', function: { name: 'clock', arguments: '' } },
];
const toolBlocks = [
  { type: 'tool_use', id: 'call_a', name: 'weather', input: { city: 'Oslo' } },
  { type: 'tool_use', id: 'call_b', name: 'clock', input: {} },
];

const sent = () => provider.requests.at(-1)?.body;

describe('whole answers', () => {
  test('a text, with the key as x-api-key or as a bearer token', async () => {
    const { customer, client } = await startCustomer();
    provider.on('upstream-chat', answerWhole({ content: 'Hi.', usage: { promptTokens: 20, completionTokens: 10 } }));
    const bearer = new Anthropic({ baseURL: proxy.url, apiKey: null, authToken: customer.proxyKey });
    // Newer models take no temperature, so the client's types no longer have it; it is sent all the same.
    const brief = { ...request, system: 'Be brief.', temperature: 0.5 };
    for (const one of [client, bearer]) {
      const message = await one.messages.create(brief);
      expect(message).toMatchObject({
        type: 'message',
        role: 'assistant',
        model: 'scripted-model',
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
    expect(await spentAtRest(customer)).toBe(2n * costNano);
  });

  test('two tools at once, one without arguments, and the turn that answers them', async () => {
    const { client } = await startCustomer();
    provider.on('upstream-chat', answerMessage({ tool_calls: toolCalls }, 'tool_calls'));
    const tools = [weather, clock];
    const asked = await client.messages.create({ ...request, tools, tool_choice: { type: 'any' } });
    expect(asked.stop_reason).toBe('tool_use');
    expect<unknown>(asked.content).toEqual(toolBlocks);
    expect(sent()).toMatchObject({ tool_choice: 'required', tools: [{ type: 'function' }, { type: 'function' }] });

    provider.on('upstream-chat', answerMessage({ content: 'Rain at noon.' }));
    await client.messages.create({
      ...request,
      tools,
      messages: [
        hello,
        { role: 'assistant', content: asked.content },
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

  test('pictures', async () => {
    const { client } = await startCustomer();
    provider.on('upstream-chat', answerMessage({ content: 'A cat.' }));
    const source = { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } as const;
    await client.messages.create({ ...request, messages: [{ role: 'user', content: [{ type: 'image', source }] }] });
    expect(sent()?.messages).toEqual([
      {
        role: 'user',
        content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } }],
      },
    ]);
  });

  test('thoughts go to the client and come back with the next turn', async () => {
    const { client } = await startCustomer();
    provider.on('upstream-chat', answerMessage({ content: 'Yes.', reasoning_content: 'Hm.' }));
    const { content } = await client.messages.create({ ...request, thinking: { type: 'adaptive' } });
    expect<unknown>(content).toEqual([
      { type: 'thinking', thinking: 'Hm.', signature: '' },
      { type: 'text', text: 'Yes.' },
    ]);
    await client.messages.create({ ...request, messages: [hello, { role: 'assistant', content }, hello] });
    expect(sent()?.messages).toEqual([hello, { role: 'assistant', content: 'Yes.', reasoning_content: 'Hm.' }, hello]);
  });
});

describe('streams', () => {
  test('the stream helper puts a text together, with its usage', async () => {
    const { customer, client } = await startCustomer();
    provider.on('upstream-chat', answerStream({ tokens: 10, promptTokens: 20 }));
    const stream = client.messages.stream(request);
    const texts: string[] = [];
    stream.on('text', (text) => texts.push(text));
    const message = await stream.finalMessage();
    expect(texts).toHaveLength(10);
    expect(message).toMatchObject({ stop_reason: 'end_turn', usage: { input_tokens: 20, output_tokens: 10 } });
    expect<unknown>(message.content).toEqual([{ type: 'text', text: texts.join('') }]);
    expect(await spentAtRest(customer)).toBe(costNano);
  });

  test('thoughts, a text and two tools at once, one without arguments', async () => {
    const { client } = await startCustomer();
    const pieces = [
      { reasoning_content: 'H' },
      { reasoning_content: 'm.' },
      { content: 'Let me see.' },
      ...toolCalls.map((call) => ({ tool_calls: [call] })),
    ];
    provider.on('upstream-chat', answerDeltas(pieces, 'tool_calls'));
    const message = await client.messages.stream({ ...request, tools: [weather, clock] }).finalMessage();
    expect(message.stop_reason).toBe('tool_use');
    expect<unknown>(message.content).toEqual([
      { type: 'thinking', thinking: 'Hm.', signature: '' },
      { type: 'text', text: 'Let me see.' },
      ...toolBlocks,
    ]);
  });

  test('a client that leaves in mid-stream aborts the provider and pays for what was delivered', async () => {
    const { customer, client } = await startCustomer();
    const tokenNano = 10_000n;
    provider.on('upstream-priced', answerStream({ tokens: 1000, delayMs: 5 }));
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
    await waitFor('the abort upstream', 2_000, async () => truth?.aborted === true);
    const spent = await spentAtRest(customer);
    expect(spent).toBeGreaterThanOrEqual(received * tokenNano);
    expect(spent).toBeLessThanOrEqual(BigInt(truth?.deliveredTokens ?? 0) * tokenNano);
  });

  test('a provider that breaks off is an error of the stream', async () => {
    const { client } = await startCustomer();
    const then = 'error';
    provider.on('upstream-chat', answerStream({ tokens: 50, after: { tokens: 5, then } }));
    const failure = await client.messages
      .stream(request)
      .finalMessage()
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(Anthropic.APIError);
    expect(failure).toMatchObject({ type: 'api_error', error: { error: { code: 'upstream_error' } } });
  });
});

describe('errors are of the class that the client expects', () => {
  async function failureOf(client: Anthropic, members: object = {}): Promise<unknown> {
    return client.messages.create({ ...request, ...members }).then(
      () => 'an answer',
      (error: unknown) => error,
    );
  }

  test.each([
    ['a wrong parameter', { temperature: 2 }, Anthropic.BadRequestError, 'invalid_request_error', 'invalid_parameter'],
    ['an unknown model', { model: 'test/none' }, Anthropic.NotFoundError, 'not_found_error', 'model_not_found'],
    ['too large a body', { system: 'x'.repeat(200_000) }, Anthropic.APIError, 'request_too_large', 'body_too_large'],
  ] as const)('%s', async (_name, members, errorClass, type, code) => {
    const { client } = await startCustomer();
    const failure = await failureOf(client, members);
    expect(failure).toBeInstanceOf(errorClass);
    expect(failure).toMatchObject({
      type,
      requestID: expect.any(String),
      error: { type: 'error', error: { type, code } },
    });
  });

  test('a key that is none, and a balance that is too small', async () => {
    const unknown = await failureOf(clientOf('ms-nonsense'));
    expect(unknown).toBeInstanceOf(Anthropic.AuthenticationError);
    expect(unknown).toMatchObject({ status: 401, type: 'authentication_error' });

    const { client } = await startCustomer('0.00001');
    const poor = await failureOf(client);
    expect(poor).toBeInstanceOf(Anthropic.PermissionDeniedError);
    expect(poor).toMatchObject({ status: 403, type: 'billing_error' });
  });

  test('a provider that fails costs nothing, and is asked again', async () => {
    const { customer, client } = await startCustomer();
    provider.on('upstream-chat', failWith(500, 'down'));
    const failure = await failureOf(client);
    expect(failure).toBeInstanceOf(Anthropic.InternalServerError);
    expect(failure).toMatchObject({ status: 502, type: 'api_error' });

    const asked = provider.requests.length;
    const recover = answerMessage({ content: 'Hi.' });
    provider.on('upstream-chat', (truth, incoming) => {
      const isFirst = provider.requests.length === asked + 1;
      return isFirst ? failWith(429, 'too many')(truth, incoming) : recover(truth, incoming);
    });
    const message = await clientOf(customer.proxyKey, 2).messages.create(request);
    expect<unknown>(message.content).toEqual([{ type: 'text', text: 'Hi.' }]);
    expect(provider.requests.length).toBe(asked + 2);
    expect(await spentAtRest(customer)).toBe(costNano);
  });

  test('a limit of ours is told as such, and a retry after it has passed is answered', async () => {
    const customer = await harness.createCustomer({ usd: '1' });
    const { url } = await harness.startProxy({ RATE_LIMIT_CONCURRENT_STREAMS: '1' });
    const strict = (options: {
      maxRetries: number;
      fetch?: (...args: Parameters<typeof fetch>) => Promise<Response>;
    }) => new Anthropic({ baseURL: url, apiKey: customer.proxyKey, authToken: null, logLevel: 'off', ...options });
    provider.on('upstream-chat', answerStream({ tokens: 10_000, delayMs: 5 }));
    const first = await strict({ maxRetries: 0 }).messages.create({ ...request, stream: true });
    await first[Symbol.asyncIterator]().next();

    const refused = await strict({ maxRetries: 0 })
      .messages.create({ ...request, stream: true })
      .catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(Anthropic.RateLimitError);
    expect(refused).toMatchObject({ type: 'rate_limit_error', error: { error: { code: 'rate_limit_exceeded' } } });

    const statuses: number[] = [];
    const client = strict({
      maxRetries: 5,
      fetch: async (...args) => {
        const answer = await fetch(...args);
        statuses.push(answer.status);
        if (answer.status === 429) {
          provider.on('upstream-chat', answerStream({ tokens: 3 }));
          first.controller.abort();
        }
        return answer;
      },
    });
    const message = await client.messages.stream(request).finalMessage();
    expect<unknown>(message.content).toEqual([{ type: 'text', text: 't0 t1 t2 ' }]);
    expect(statuses[0]).toBe(429);
    expect(statuses.at(-1)).toBe(200);
  }, 20_000);

  test('a client that does not wait pays no more than the prompt', async () => {
    const { customer, client } = await startCustomer();
    provider.on('upstream-chat', hang);
    const controller = new AbortController();
    const asked = provider.requests.length;
    const answer = client.messages.create(request, { signal: controller.signal }).catch((error: unknown) => error);
    await waitFor('the request upstream', 2_000, async () => provider.requests.length > asked);
    controller.abort();
    expect(await answer).toBeInstanceOf(Anthropic.APIUserAbortError);
    await waitFor('the abort upstream', 2_000, async () => provider.requests.at(-1)?.aborted === true);
    // "Hello?" is 2 tokens and a chat template adds 6, at 0.60 USD per million.
    expect(await spentAtRest(customer)).toBe(4_800n);
  });
});

test('tokens are counted for whoever has a key, at no cost', async () => {
  const { customer, client } = await startCustomer('0');
  const count = async (members: object) =>
    (await client.messages.countTokens({ model: 'test/chat', messages: [hello], ...members })).input_tokens;
  const short = await count({});
  // "Hello?" is 2 tokens and a chat template adds 6.
  expect(short).toBe(8);
  expect(await count({ system: 'Be brief.', tools: [weather] })).toBeGreaterThan(short + 20);
  expect(await count({ messages: [{ role: 'user', content: 'a word '.repeat(10_000) }] })).toBeGreaterThan(15_000);
  expect(await spentAtRest(customer)).toBe(0n);

  const { proxyKey } = customer;
  const unknown = `${proxyKey.slice(0, -1)}${proxyKey.endsWith('A') ? 'B' : 'A'}`;
  for (const key of [unknown, await harness.createExpiredKey(customer.accountId)]) {
    const refused = clientOf(key).messages.countTokens({ model: 'test/chat', messages: [hello] });
    expect(await refused.catch((error: unknown) => error)).toBeInstanceOf(Anthropic.AuthenticationError);
  }
});

test('the same request costs the same at /v1/messages and at /v1/chat/completions', async () => {
  const { customer, client } = await startCustomer();
  const counted = { prompt_tokens: 1_000, completion_tokens: 77, prompt_tokens_details: { cached_tokens: 900 } };
  const choices = [{ index: 0, message: { role: 'assistant', content: 'Hi.' }, finish_reason: 'stop' }];
  provider.on('upstream-chat', answerRaw(JSON.stringify({ ...head('chat.completion'), choices, usage: counted })));
  const message = await client.messages.create(request);
  expect(message.usage).toMatchObject({ input_tokens: 100, cache_read_input_tokens: 900, output_tokens: 77 });
  const spent = await spentAtRest(customer);
  expect(spent).toBeGreaterThan(0n);
  expect((await chat(proxy, customer.proxyKey, { model: 'test/chat', max_tokens: 100 })).status).toBe(200);
  expect(await spentAtRest(customer)).toBe(2n * spent);
});
