/** OpenAI's own client on POST /v1/responses, through the real gateway. */
import { afterAll, expect, test } from 'bun:test';
import OpenAI, { APIError } from 'openai';
import { zodTextFormat } from 'openai/helpers/zod';
import { toResponseInputItems } from 'openai/lib/responses/ResponseInputItems';
import type { ResponseCreateParamsNonStreaming, ResponseInput } from 'openai/resources/responses/responses';
import { z } from 'zod';
import { guardTimeoutMs, readLedger, waitFor } from '../../harness/account-view.ts';
import type { Customer } from '../../harness/customers.ts';
import { startGateway } from '../../harness/gateway.ts';
import { deltasResponse, messageResponse } from '../../harness/providers/completions.ts';
import { failWith, streamedResponse, wholeResponse, wordOf } from '../../harness/providers/scripted-provider.ts';
import { checkStream } from '../api/responses/event-order.ts';

const { harness, provider, proxy, stop } = await startGateway();
const customer = await harness.createCustomer({ usd: '5' });
const client = clientOf(customer);

afterAll(stop);

const request = { model: 'test/chat', input: 'Hello?' };
const usage = { promptTokens: 11, completionTokens: 7 };
/** 11 × 0.60 + 7 × 1.80 USD per million tokens. */
const cost = 0.0000192;

function clientOf({ proxyKey }: Customer): OpenAI {
  return new OpenAI({ baseURL: `${proxy.url}/v1`, apiKey: proxyKey, maxRetries: 0 });
}

/** Waits until nothing is held, and returns what has been spent. */
async function spentAtRest(accountId: number): Promise<bigint> {
  await waitFor(
    'the wallet at rest',
    guardTimeoutMs,
    async () => (await harness.keeper.readWallet(accountId))?.heldNano === 0n,
  );
  const state = await harness.keeper.readWallet(accountId);
  return waitFor('the ledger', guardTimeoutMs, async () => {
    const { balanceNano, spentNano } = await readLedger(harness, accountId);
    return balanceNano === state?.availableNano ? spentNano : undefined;
  });
}

test('a created response has the text, the usage and the cost, under the request id', async () => {
  provider.on('upstream-chat', wholeResponse({ content: 'Hi.', usage }));
  const { data, response } = await client.responses
    .create({ ...request, instructions: 'Be brief.', max_output_tokens: 40 })
    .withResponse();
  expect(data.output_text).toBe('Hi.');
  expect(data).toMatchObject({
    object: 'response',
    status: 'completed',
    model: 'test/chat',
    instructions: 'Be brief.',
    usage: { input_tokens: 11, output_tokens: 7, total_tokens: 18, cost },
  });
  expect(response.headers.get('x-cost-usd')).toBe('0.0000192');
  expect(data.id).toBe(`resp_${response.headers.get('x-request-id')?.replaceAll('-', '')}`);
  expect(provider.requests.at(-1)).toMatchObject({
    path: '/v1/chat/completions',
    body: {
      model: 'upstream-chat',
      max_tokens: 40,
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hello?' },
      ],
    },
  });
});

test('the events of a stream are in order, without [DONE], and end with the usage and the cost', async () => {
  provider.on('upstream-chat', deltasResponse([{ reasoning_content: 'Hm.' }, { content: 'Hel' }, { content: 'lo.' }]));
  const events = await Array.fromAsync(await client.responses.create({ ...request, stream: true }));
  expect(checkStream(events)).toMatchObject({
    status: 'completed',
    output: [{ type: 'reasoning' }, { type: 'message', content: [{ text: 'Hello.' }] }],
    usage: { input_tokens: 11, output_tokens: 7, total_tokens: 18, cost },
  });
});

test('the stream helper emits each chunk and ends with the final response', async () => {
  provider.on('upstream-chat', deltasResponse([{ content: 'Hel' }, { content: 'lo.' }]));
  const snapshots: string[] = [];
  const stream = client.responses.stream(request);
  stream.on('response.output_text.delta', ({ snapshot }) => void snapshots.push(snapshot));
  const response = await stream.finalResponse();
  expect(snapshots).toEqual(['Hel', 'Hello.']);
  expect(response).toMatchObject({ status: 'completed', output_text: 'Hello.' });
});

const tools: ResponseCreateParamsNonStreaming['tools'] = [
  { type: 'function', name: 'weather', parameters: { type: 'object' }, strict: false },
  { type: 'function', name: 'clock', parameters: null, strict: false },
];
const weather = { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Perm"}' } };
const clock = { id: 'call_2', type: 'function', function: { name: 'clock', arguments: '' } };

test('two calls in one turn, one without arguments, get their outputs on the next turn', async () => {
  provider.on('upstream-chat', messageResponse({ tool_calls: [weather, clock] }, 'tool_calls'));
  const input: ResponseInput = [{ role: 'user', content: 'Weather and time?' }];
  const { output } = await client.responses.create({ model: 'test/chat', input, tools });
  const calls = output.filter((item) => item.type === 'function_call');
  expect(calls).toMatchObject([
    { call_id: 'call_1', name: 'weather', arguments: '{"city":"Perm"}' },
    { call_id: 'call_2', name: 'clock', arguments: '{}' },
  ]);

  provider.on('upstream-chat', wholeResponse({ content: '12 degrees at noon.', usage }));
  input.push(...toResponseInputItems(output));
  for (const { call_id } of calls) input.push({ type: 'function_call_output', call_id, output: `of ${call_id}` });
  const { output_text } = await client.responses.create({ model: 'test/chat', input, tools });
  expect(output_text).toBe('12 degrees at noon.');
  expect(provider.requests.at(-1)?.body.messages).toEqual([
    { role: 'user', content: 'Weather and time?' },
    {
      role: 'assistant',
      content: null,
      tool_calls: [weather, { ...clock, function: { name: 'clock', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: 'call_1', content: 'of call_1' },
    { role: 'tool', tool_call_id: 'call_2', content: 'of call_2' },
  ]);
});

test('streamed calls have their arguments chunk by chunk, and missing ones are empty objects', async () => {
  const called = (index: number, call: object) => ({ tool_calls: [{ index, ...call }] });
  provider.on(
    'upstream-chat',
    deltasResponse(
      [
        called(0, { ...weather, function: { name: 'weather', arguments: '' } }),
        called(0, { function: { arguments: '{"city":' } }),
        called(0, { function: { arguments: '"Perm"}' } }),
        called(1, clock),
      ],
      'tool_calls',
    ),
  );
  const stream = client.responses.stream({ ...request, tools });
  const events = await Array.fromAsync(stream);
  checkStream(events);
  expect((await stream.finalResponse()).output).toMatchObject([
    { type: 'function_call', call_id: 'call_1', arguments: '{"city":"Perm"}' },
    { type: 'function_call', call_id: 'call_2', arguments: '{}' },
  ]);
});

test('parse returns the object that the schema describes, whole and streamed', async () => {
  const Point = z.object({ x: z.number(), y: z.number() });
  const text = { format: zodTextFormat(Point, 'point') };
  provider.on('upstream-chat', messageResponse({ content: '{"x":1,"y":2}' }));
  const { output_parsed } = await client.responses.parse({ ...request, text });
  expect(output_parsed).toEqual({ x: 1, y: 2 });
  expect(provider.requests.at(-1)?.body.response_format).toMatchObject({
    type: 'json_schema',
    json_schema: { name: 'point', strict: true, schema: { required: ['x', 'y'] } },
  });
  provider.on('upstream-chat', deltasResponse([{ content: '{"x":1,' }, { content: '"y":2}' }]));
  expect((await client.responses.stream({ ...request, text }).finalResponse()).output_parsed).toEqual({ x: 1, y: 2 });
});

test('a response that is cut off by its length or a filter is incomplete and not parsed', async () => {
  const text = { format: zodTextFormat(z.object({ x: z.number() }), 'x') };
  for (const [finish, reason] of [
    ['length', 'max_output_tokens'],
    ['content_filter', 'content_filter'],
  ] as const) {
    provider.on('upstream-chat', messageResponse({ content: '{"x":' }, finish));
    const whole = await client.responses.parse({ ...request, text });
    provider.on('upstream-chat', deltasResponse([{ content: '{"x"' }, { content: ':' }], finish));
    const streamed = await client.responses.stream({ ...request, text }).finalResponse();
    for (const response of [whole, streamed]) {
      expect(response).toMatchObject({ status: 'incomplete', incomplete_details: { reason }, output_text: '{"x":' });
      expect(response.output_parsed).toBeNull();
    }
  }
});

test('a request costs exactly as much as the same chat completion, streamed or not', async () => {
  const messages = [{ role: 'user' as const, content: 'Hello?' }];
  const asks: readonly ((own: OpenAI) => Promise<unknown>)[] = [
    (own) => own.chat.completions.create({ model: 'test/chat', messages }),
    (own) => own.responses.create(request),
    (own) => own.chat.completions.stream({ model: 'test/chat', messages }).finalChatCompletion(),
    (own) => own.responses.stream(request).finalResponse(),
  ];
  for (const [index, ask] of asks.entries()) {
    const own = await harness.createCustomer({ usd: '1' });
    const counts = { promptTokens: 12_345, completionTokens: 1_237 };
    const stream = streamedResponse({ tokens: counts.completionTokens, promptTokens: counts.promptTokens });
    provider.on('upstream-chat', index < 2 ? wholeResponse({ content: 'Hi.', usage: counts }) : stream);
    await ask(clientOf(own));
    // 12,345 × 0.60 + 1,237 × 1.80 USD per million tokens.
    expect([index, await spentAtRest(own.accountId)]).toEqual([index, 9_633_600n]);
  }
});

async function errorOf(ask: Promise<unknown>): Promise<APIError> {
  const error = await ask.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof APIError) return error;
  throw new Error(`expected an APIError, got ${error}`);
}

test('every refusal is the same error as on other endpoints, with status, code and parameter', async () => {
  const poor = await harness.createCustomer({ usd: '0' });
  const badKey = new OpenAI({ baseURL: `${proxy.url}/v1`, apiKey: 'ms-no', maxRetries: 0 });
  const billing = new OpenAI({ baseURL: `${proxy.url}/v1`, apiKey: customer.billingKey, maxRetries: 0 });
  provider.on('upstream-first', failWith(422, 'temperature does not suit this model'));
  provider.on('upstream-chat', failWith(500, 'down'));
  const failover = { ...request, model: 'test/failover' };
  const cases: readonly [() => Promise<unknown>, object][] = [
    [
      () => client.responses.create({ ...request, previous_response_id: 'resp_1' }),
      { status: 400, code: 'unsupported_parameter', param: 'previous_response_id' },
    ],
    [
      () => client.responses.create({ ...request, tools: [{ type: 'web_search' }], tool_choice: 'required' }),
      { status: 400, code: 'unsupported_parameter', param: 'tool_choice' },
    ],
    [() => client.responses.create({ model: 'test/chat' }), { status: 400, code: 'missing_parameter', param: 'input' }],
    [() => client.responses.create(failover), { status: 400, code: 'upstream_rejected_request' }],
    [() => badKey.responses.create(request), { status: 401, code: 'invalid_api_key' }],
    [() => billing.responses.create(request), { status: 403, code: 'wrong_key_type' }],
    [() => clientOf(poor).responses.create(request), { status: 403, code: 'insufficient_balance' }],
    [
      () => client.responses.create({ ...request, model: 'test/none' }),
      { status: 404, code: 'model_not_found', param: 'model' },
    ],
    [() => client.responses.retrieve('resp_1'), { status: 404, code: 'not_found' }],
    [() => client.responses.create(request), { status: 502, code: 'upstream_error' }],
  ];
  for (const [ask, expected] of cases) {
    const error = await errorOf(ask());
    expect(error).toMatchObject(expected);
    expect(error.requestID).toMatch(/^[0-9a-f-]{36}$/);
  }
});

test('a provider that fails immediately costs nothing, and one that breaks off later costs its output', async () => {
  const own = await harness.createCustomer({ usd: '1' });
  const priced = { model: 'test/priced-output', input: 'Hello?', max_output_tokens: 1000 };
  provider.on('upstream-priced', failWith(500, 'down'));
  expect(await errorOf(clientOf(own).responses.stream(priced).finalResponse())).toMatchObject({ status: 502 });
  expect(await spentAtRest(own.accountId)).toBe(0n);

  for (const ends of ['cut', 'error'] as const) {
    const before = await spentAtRest(own.accountId);
    const begun = Promise.withResolvers<void>();
    const after = { tokens: 12, ends, when: begun.promise };
    provider.on('upstream-priced', streamedResponse({ tokens: 50, delayMs: 1, after }));
    const types: string[] = [];
    let received = '';
    const reading = async () => {
      for await (const event of await clientOf(own).responses.create({ ...priced, stream: true })) {
        begun.resolve();
        types.push(event.type);
        if (event.type === 'response.output_text.delta') received += event.delta;
      }
    };
    expect(await errorOf(reading())).toMatchObject({ code: 'upstream_error', type: 'upstream_error' });
    expect(types).not.toContain('response.completed');
    // An event has several tokens if they arrived together.
    const tokens = received.length / wordOf(0).length;
    expect((await spentAtRest(own.accountId)) - before).toBe(BigInt(tokens) * 10_000n);
  }
});

test('a client that leaves mid-stream aborts the provider and pays for what was delivered', async () => {
  const own = await harness.createCustomer({ usd: '1' });
  provider.on('upstream-priced', streamedResponse({ tokens: 1000, delayMs: 5 }));
  const priced = { model: 'test/priced-output', input: 'Hello?', max_output_tokens: 1000 };
  let chunks = 0n;
  for await (const event of await clientOf(own).responses.create({ ...priced, stream: true })) {
    if (event.type === 'response.output_text.delta') chunks += 1n;
    if (chunks === 20n) break;
  }
  const truth = provider.requests.at(-1);
  await waitFor('the abort upstream', guardTimeoutMs, async () => truth?.aborted === true);
  const spent = await spentAtRest(own.accountId);
  expect(spent).toBeGreaterThanOrEqual(chunks * 10_000n);
  expect(spent).toBeLessThanOrEqual(BigInt(truth?.deliveredTokens ?? 0) * 10_000n);
});
