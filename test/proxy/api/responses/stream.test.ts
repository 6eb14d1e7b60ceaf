/** The events of a streamed response are in order, whatever the chunks, and add up to the whole response. */
import { afterAll, beforeAll, expect, setSystemTime, test } from 'bun:test';
import type { ResponseOutputItem } from 'openai/resources/responses/responses';
import { responsesDialect } from '../../../../proxy/api/responses/responses-dialect.ts';
import { noUsage } from '../../../../proxy/nouns/usage.ts';
import { ChatStream } from '../../../../proxy/providers/openai/stream/openai-stream.ts';
import { DialectResponseStream } from '../../../../proxy/request/response/dialect-response-stream.ts';
import { errorBody, GatewayError } from '../../../../shared/errors.ts';
import { inCampaign } from '../../../harness/campaigns.ts';
import { parseResponses } from '../parse.ts';
import { checkStream, readEvents } from './event-order.ts';
import { chunksOf, completionOf, type ModelResponse, responses, tools } from './model-responses.ts';

const requestId = '01999999-9999-7abc-8def-0123456789ab';
const usage = {
  ...noUsage,
  promptTokens: 10,
  cachedPromptTokens: 4,
  cacheWriteTokens: 1,
  completionTokens: 7,
  reasoningTokens: 2,
};
const charge = { usage, costUsd: '0.0000000001' };

const callOf = (request: object = {}) =>
  parseResponses(JSON.stringify({ model: 'test/chat', input: 'Hello?', tools, ...request }));
const withThoughts = { include: ['reasoning.encrypted_content'] };

beforeAll(() => void setSystemTime(new Date(1_790_000_000_000)));
afterAll(() => void setSystemTime());

function streamed(response: Pick<ModelResponse, 'deltas' | 'finish'>, request: object): string {
  const stream = responsesDialect.openStream(callOf(request), requestId);
  return (
    chunksOf(response)
      .map((chunk) => stream.push(chunk))
      .join('') + stream.close(charge)
  );
}

function whole(response: ModelResponse, request: object): string {
  return responsesDialect.renderBody(completionOf(response), { call: callOf(request), charge, requestId });
}

for (const response of responses) {
  test(`the events of ${response.name} are in order, and end with the whole response`, () => {
    for (const request of [{}, withThoughts]) {
      const ended = checkStream(readEvents(streamed(response, { ...request, stream: true })));
      expect(ended).toEqual(JSON.parse(whole(response, request)));
    }
  });
}

const named = (name: string) => {
  const response = responses.find((candidate) => candidate.name === name);
  if (response === undefined) throw new Error(`no answer '${name}'`);
  return response;
};
const outputOf = (name: string, request: object = {}): ResponseOutputItem[] =>
  JSON.parse(whole(named(name), request)).output;

test('a streamed response has its id, the settings of the request, the usage and the cost', () => {
  const tool = { type: 'function', name: 'weather', parameters: { type: 'object' }, strict: true };
  const response = whole(named('text'), {
    instructions: 'Be brief.',
    tools: [tool],
    tool_choice: { type: 'function', name: 'weather' },
    metadata: { a: 'b' },
    temperature: 0.5,
    reasoning: { effort: 'low' },
    text: { format: { type: 'json_object' } },
    truncation: 'auto',
    store: true,
  });
  expect(JSON.parse(response)).toEqual({
    id: 'resp_0199999999997abc8def0123456789ab',
    object: 'response',
    created_at: 1_759_218_604,
    completed_at: 1_790_000_000,
    status: 'completed',
    error: null,
    incomplete_details: null,
    model: 'test/chat',
    instructions: 'Be brief.',
    max_output_tokens: null,
    max_tool_calls: null,
    metadata: { a: 'b' },
    parallel_tool_calls: true,
    temperature: 0.5,
    top_p: null,
    top_logprobs: 0,
    tool_choice: { type: 'function', name: 'weather' },
    tools: [{ ...tool, description: null }],
    text: { format: { type: 'json_object' }, verbosity: null },
    reasoning: { effort: 'low', summary: null },
    truncation: 'disabled',
    store: false,
    background: false,
    previous_response_id: null,
    prompt_cache_key: null,
    safety_identifier: null,
    output: [
      {
        id: 'msg_0199999999997abc8def0123456789ab_0',
        type: 'message',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: 'Hello, "wörld" 🙂\n\n.', annotations: [], logprobs: [] }],
      },
    ],
    usage: {
      input_tokens: 10,
      input_tokens_details: { cached_tokens: 4, cache_write_tokens: 1 },
      output_tokens: 7,
      output_tokens_details: { reasoning_tokens: 2 },
      total_tokens: 17,
      cost: 0.0000000001,
    },
  });
  expect(response).toContain('"cost":0.0000000001}');
});

const cuts: readonly [string, string, string][] = [
  ['a text that is cut by its length', 'max_output_tokens', 'message'],
  ['thoughts that use up the length', 'max_output_tokens', 'reasoning'],
  ['a call that is cut by its length', 'max_output_tokens', 'function_call'],
  ['a custom call that is cut by its length', 'max_output_tokens', 'custom_tool_call'],
  ['a filtered answer', 'content_filter', 'message'],
];

for (const [name, reason, type] of cuts) {
  test(`${name} leaves the response and its last item incomplete because of ${reason}`, () => {
    expect(JSON.parse(whole(named(name), {}))).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason },
      completed_at: null,
      output: [{ type, status: 'incomplete' }],
    });
  });
}

test('streamed calls are items with the ids of call and item, and arguments that can be parsed', () => {
  expect(outputOf('parallel calls, one without arguments and one with a signature')).toMatchObject([
    { type: 'function_call', call_id: 'a', name: 'weather', arguments: '{"city":"Perm"}', status: 'completed' },
    { type: 'function_call', call_id: 'b', name: 'clock', arguments: '{}', status: 'completed' },
  ]);
});

test('signed thinking is returned if requested, and is sent back to the model unchanged', () => {
  const name = 'signed thoughts, text and a call';
  expect(outputOf(name)[0]).not.toHaveProperty('encrypted_content');
  const [thoughts, saidText, called] = outputOf(name, withThoughts);
  expect(thoughts).toMatchObject({ type: 'reasoning', summary: [{ text: 'Let me think.' }] });
  const next = callOf({
    input: [thoughts, saidText, called, { type: 'function_call_output', call_id: 'a', output: '12' }],
  });
  const { refusal: _, ...message } = named(name).message;
  expect<unknown>(next.body.messages[0]).toEqual({ role: 'assistant', ...message });
});

test('a signature after its thinking, and thinking in chunks, become whole thinking blocks', () => {
  const lone = [{ reasoning_content: 'Hm.' }, { thinking_blocks: [{ type: 'thinking' as const, signature: 'c2ln' }] }];
  const chunks = [
    { reasoning_content: 'Hm.', thinking_blocks: [{ type: 'thinking' as const, thinking: 'H' }] },
    { thinking_blocks: [{ type: 'thinking' as const, thinking: 'm.' }] },
    { thinking_blocks: [{ type: 'thinking' as const, signature: 'c2ln' }] },
  ];
  for (const deltas of [lone, chunks]) {
    const { output } = checkStream(readEvents(streamed({ deltas, finish: 'stop' }, withThoughts)));
    const { messages } = callOf({ input: [...output, { role: 'assistant', content: 'Yes.' }] }).body;
    expect(messages[0]?.thinking_blocks).toEqual([{ type: 'thinking', thinking: 'Hm.', signature: 'c2ln' }]);
  }
});

test('thinking that was cut off before its signature is not returned', () => {
  const deltas = [{ reasoning_content: 'Hm', thinking_blocks: [{ type: 'thinking' as const, thinking: 'Hm' }] }];
  const { output } = checkStream(readEvents(streamed({ deltas, finish: 'length' }, withThoughts)));
  expect(output[0]).toMatchObject({ type: 'reasoning', encrypted_content: null });
});

test('text that continues after another item is a new item', () => {
  const call = { id: 'a', type: 'function' as const, function: { name: 'clock', arguments: '{}' } };
  const deltas = [
    { content: 'One.' },
    { reasoning_content: 'Hm.' },
    { tool_calls: [{ index: 0, ...call }] },
    { content: 'Two.' },
  ];
  const { output } = checkStream(readEvents(streamed({ deltas, finish: 'tool_calls' }, {})));
  expect(output.map(({ type }) => type)).toEqual(['message', 'reasoning', 'function_call', 'message']);
});

test('a failed stream reports the failure to every kind of client, with the output so far', () => {
  const stream = responsesDialect.openStream(callOf({ stream: true }), requestId);
  const text = chunksOf(named('text'))
    .slice(0, 2)
    .map((chunk) => stream.push(chunk))
    .join('');
  const error = new GatewayError('upstream_error', 'The provider ended its response early.');
  const events = readEvents(text + stream.fail(error));
  expect(events.map((event) => 'sequence_number' in event && event.sequence_number)).toEqual([...events.keys()]);
  expect(events.at(-2)).toMatchObject({
    type: 'error',
    code: 'upstream_error',
    message: 'The provider ended its response early.',
    param: null,
    error: { type: 'upstream_error', code: 'upstream_error' },
  });
  expect(events.at(-1)).toMatchObject({
    type: 'response.failed',
    response: {
      status: 'failed',
      error: { code: 'server_error', message: 'The provider ended its response early.' },
      output: [{ type: 'message', status: 'incomplete', content: [{ text: 'Hello' }] }],
      usage: null,
    },
  });
});

test('a stream that fails before its first chunk still begins with its opening events', () => {
  const stream = responsesDialect.openStream(callOf({ stream: true }), requestId);
  const events = readEvents(stream.fail(new GatewayError('upstream_timeout', 'Too late.')));
  expect(events.map(({ type }) => type)).toEqual([
    'response.created',
    'response.in_progress',
    'error',
    'response.failed',
  ]);
});

test('an adapter’s error names the parameter as the client sent it', () => {
  const named = (param: string) =>
    responsesDialect.renderError(
      new GatewayError('unsupported_parameter', `'${param}' is not supported by this model.`, { param }),
      requestId,
    );
  for (const [chatName, name] of [
    ['messages[1].content[0].file', 'input'],
    ['reasoning_effort', 'reasoning.effort'],
    ['response_format.json_schema', 'text.format'],
    ['temperature', 'temperature'],
  ] as const) {
    expect(named(chatName)).toMatchObject({
      error: { code: 'unsupported_parameter', param: name, message: `'${name}' is not supported by this model.` },
    });
  }
});

test('a parameter of chat completions is refused under its own name, with its successor', () => {
  expect(() => callOf({ max_tokens: 5 })).toThrow("Unsupported parameter: 'max_tokens'. Use 'max_output_tokens'.");
  const refused = new GatewayError('unsupported_parameter', "'max_tokens': use 'max_output_tokens'.", {
    param: 'max_tokens',
  });
  expect(responsesDialect.renderError(refused, requestId)).toEqual(errorBody(refused));
});

test('a stream that is cut short by a limit is incomplete, even without a finish reason', () => {
  const stream = new DialectResponseStream(
    new ChatStream({ includeUsage: false, model: 'm' }),
    responsesDialect.openStream(callOf({ stream: true }), requestId),
  );
  const bytes = new TextEncoder().encode(
    chunksOf(named('text'))
      .slice(0, 3)
      .map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`)
      .join(''),
  );
  const text = new TextDecoder().decode(stream.push(bytes)) + stream.cutShort() + stream.close(charge);
  expect(checkStream(readEvents(text))).toMatchObject({ incomplete_details: { reason: 'max_output_tokens' } });
});

test('the events of a response are the same wherever the provider’s bytes are split (campaign)', () => {
  for (const response of responses) {
    const text = chunksOf(response)
      .map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`)
      .join('');
    const bytes = new TextEncoder().encode(`${text}data: [DONE]\n\n`);
    const expected = translated([bytes]);
    expect(expected).not.toContain('[DONE]');
    checkStream(readEvents(expected));
    for (let cut = 1; cut < bytes.length; cut += inCampaign(11, 1)) {
      if (translated([bytes.subarray(0, cut), bytes.subarray(cut)]) !== expected) throw new Error(`cut at ${cut}`);
    }
    expect(translated(Array.from(bytes, (byte) => Uint8Array.of(byte)))).toBe(expected);
  }
});

function translated(chunks: readonly Uint8Array[]): string {
  const spoken = responsesDialect.openStream(callOf({ stream: true }), requestId);
  const stream = new DialectResponseStream(new ChatStream({ includeUsage: false, model: 'm' }), spoken);
  const decoder = new TextDecoder();
  const output = chunks.map((chunk) => decoder.decode(stream.push(chunk))).join('');
  return output + stream.close(charge);
}
