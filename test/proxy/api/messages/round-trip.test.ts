/** Anthropic's API format in front of Anthropic's own API: requests and responses stay the same. */
import { describe, expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { messagesDialect } from '../../../../proxy/api/messages/messages-dialect.ts';
import { anthropicAdapter } from '../../../../proxy/providers/anthropic/anthropic-adapter.ts';
import { DialectResponseStream } from '../../../../proxy/request/response/dialect-response-stream.ts';
import { anyTurn, callsOf, eventsOf, messageOf, type TurnPart } from '../../providers/anthropic/any-turn.ts';
import { target } from '../../providers/anthropic/chat-call.ts';
import { parseMessages } from '../parse.ts';
import { contentOf, type Event, readEvents } from './read-as-client.ts';

const recordings = join(import.meta.dir, '../../../../../shared/recordings');
const recorded = existsSync(recordings);
if (!recorded) console.info(`skipped: there are no recordings at ${recordings}`);

const requestId = '01920000-0000-7000-8000-000000000001';
const hello = { role: 'user', content: 'Hello?' };
const ephemeral = { type: 'ephemeral' };
const signed = { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' };
const redacted = { type: 'redacted_thinking', data: 'ZGF0YQ' };
const chat = anthropicAdapter.operations.chat;
if (chat === undefined) throw new Error('the adapter has no chat');
const { buildRequest, openStream, readBody } = chat;

const callOf = (members: object) => parseMessages(JSON.stringify({ model: 'm', max_tokens: 4096, ...members }));

test("a request reaches Anthropic's provider as it was sent", () => {
  const request = {
    system: [{ type: 'text', text: 'Be brief.', cache_control: ephemeral }],
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'Weather?', cache_control: ephemeral }] },
      {
        role: 'assistant',
        content: [
          signed,
          redacted,
          { type: 'text', text: 'I look.' },
          { type: 'tool_use', id: 'toolu_a', name: 'weather', input: { city: 'Oslo' }, cache_control: ephemeral },
        ],
      },
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 'toolu_a',
            content: [{ type: 'text', text: 'rain' }],
            cache_control: ephemeral,
          },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } },
        ],
      },
    ],
    stop_sequences: ['END'],
    thinking: { type: 'enabled', budget_tokens: 2048 },
    tools: [{ name: 'weather', description: 'Tells.', input_schema: { type: 'object' }, cache_control: ephemeral }],
    tool_choice: { type: 'auto', disable_parallel_tool_use: true },
    metadata: { user_id: 'u-1' },
  };
  const sent = JSON.parse(String(buildRequest(callOf(request), target()).body));
  expect(sent).toMatchObject({ ...request, model: 'claude-upstream', max_tokens: 4096 });
});

test('the cache mark of a request is on the last block of a paused turn that Anthropic is to continue', () => {
  const content = [
    { type: 'text', text: 'I look.' },
    { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'q' } },
  ];
  const tools = [{ type: 'web_search_20250305', name: 'web_search' }];
  const call = callOf({ tools, cache_control: ephemeral, messages: [hello, { role: 'assistant', content }] });
  const { messages } = JSON.parse(String(buildRequest(call, target()).body));
  expect(messages[1].content).toEqual([content[0], { ...content[1], cache_control: ephemeral }]);
});

const low = { output_config: { effort: 'low' } };
const disabled = { thinking: { type: 'disabled' } };
const adaptive = { thinking: { type: 'adaptive' } };
test.each<[object, object]>([
  [low, low],
  [{ ...disabled, ...low }, low],
  [disabled, {}],
  [
    { ...adaptive, ...low },
    { ...adaptive, ...low },
  ],
])('%j asks Anthropic for its effort and for thinking as %j', (members, expected) => {
  const call = callOf({ messages: [hello], ...members });
  const request = buildRequest(call, target({ quirks: { reasoningControl: 'effort' } }));
  const { thinking, output_config } = JSON.parse(String(request.body));
  expect({ thinking, output_config }).toMatchObject({ thinking: undefined, output_config: undefined, ...expected });
});

test('an effort alone does not make a model think that takes a token budget', () => {
  for (const members of [low, { ...disabled, ...low }]) {
    const sent = JSON.parse(String(buildRequest(callOf({ messages: [hello], ...members }), target()).body));
    expect(sent).not.toContainAnyKeys(['thinking', 'output_config']);
  }
});

/** The response, as a client assembles it from the provider's own events. */
function translate(events: readonly { readonly type: string }[]): {
  content: Record<string, unknown>[];
  events: Event[];
} {
  const call = callOf({ messages: [hello], stream: true });
  const inner = openStream?.(call, target().deployment);
  if (inner === undefined) throw new Error('the adapter does not stream');
  const stream = new DialectResponseStream(inner, messagesDialect.openStream(call, requestId));
  const text = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
  const translated = new TextDecoder().decode(stream.push(new TextEncoder().encode(text)));
  expect(stream).toMatchObject({ complete: true, ended: true });
  const { usage } = stream;
  if (usage === null) throw new Error('no usage was read');
  const out = readEvents(translated + stream.close({ usage, costUsd: '0' }));
  return { content: contentOf(out), events: out };
}

/** The content of the message, as its client gets it. */
const shown: Readonly<Record<string, (turn: readonly TurnPart[]) => readonly unknown[]>> = {
  streamed: (turn) =>
    translate(eventsOf(turn)).content.map(({ input, ...part }) =>
      typeof input === 'string' ? { ...part, input: JSON.parse(input) } : part,
    ),
  whole: (turn) => {
    const call = callOf({ messages: [hello] });
    const { usage, render } = readBody(messageOf(turn), call, target().deployment);
    if (usage === null) throw new Error('no usage was read');
    const charge = { usage, costUsd: '0' };
    const completion = JSON.parse(render(charge));
    return JSON.parse(messagesDialect.renderBody(completion, { call, charge, requestId })).content;
  },
};

test.each(Object.entries(shown))('a %s turn in any order comes back to Anthropic as it was generated', (_, show) => {
  fc.assert(
    fc.property(anyTurn, (turn) => {
      const content = show(turn);
      expect<unknown>(content).toEqual(turn);
      const results = callsOf(turn).map((id) => ({ type: 'tool_result', tool_use_id: id, content: 'rain' }));
      const next = results.length > 0 ? { role: 'user', content: results } : hello;
      const call = callOf({ messages: [hello, { role: 'assistant', content }, next] });
      const { messages } = JSON.parse(String(buildRequest(call, target()).body));
      expect(messages[1].content).toEqual(turn);
    }),
    { numRuns: 200 },
  );
});

test('texts and calls of a turn in any order reach Anthropic with their cache marks', () => {
  fc.assert(
    fc.property(anyTurn, (turn) => {
      const content = turn.map((part) =>
        part.type === 'text' || part.type === 'tool_use' ? { ...part, cache_control: ephemeral } : part,
      );
      const call = callOf({ messages: [hello, { role: 'assistant', content }, hello] });
      const { messages } = JSON.parse(String(buildRequest(call, target()).body));
      expect(messages[1].content).toEqual(content);
    }),
    { numRuns: 100 },
  );
});

test('searches reach Anthropic with their cache marks', () => {
  const content = [
    { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'q' }, cache_control: ephemeral },
    { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [], cache_control: ephemeral },
    { type: 'text', text: 'So.' },
  ];
  const tools = [{ type: 'web_search_20250305', name: 'web_search' }];
  const call = callOf({ tools, messages: [hello, { role: 'assistant', content }, hello] });
  const { messages } = JSON.parse(String(buildRequest(call, target()).body));
  expect(messages[1].content).toEqual(content);
});

/** A tool without arguments has no input or `{}`, which mean the same. */
const comparable = (content: Record<string, unknown>[]) =>
  content.map(({ type, id, name, text, thinking, signature, data, input }) => ({
    type,
    id,
    name,
    text,
    thinking,
    signature,
    data,
    input: input === '' ? '{}' : input,
  }));

describe('a streamed message', () => {
  const block = (
    index: number,
    content_block: Record<string, unknown>,
    ...deltas: Record<string, unknown>[]
  ): Event[] => [
    { type: 'content_block_start', index, content_block },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ];

  test('keeps the order of signed thinking, text and tools', () => {
    const empty = { type: 'thinking', thinking: '', signature: '' };
    const events: Event[] = [
      {
        type: 'message_start',
        message: { id: 'msg_1', role: 'assistant', model: 'claude-x', usage: { input_tokens: 9, output_tokens: 1 } },
      },
      ...block(
        0,
        empty,
        { type: 'thinking_delta', thinking: 'H' },
        { type: 'thinking_delta', thinking: 'm.' },
        { type: 'signature_delta', signature: 'MQ' },
      ),
      ...block(1, redacted),
      ...block(2, empty, { type: 'signature_delta', signature: 'Mg' }),
      ...block(3, { type: 'text', text: '' }, { type: 'text_delta', text: 'Yes.' }),
      ...block(
        4,
        { type: 'tool_use', id: 'toolu_a', name: 'a', input: {} },
        { type: 'input_json_delta', partial_json: '' },
      ),
      ...block(
        5,
        { type: 'tool_use', id: 'toolu_b', name: 'b', input: {} },
        { type: 'input_json_delta', partial_json: '{"x":' },
        { type: 'input_json_delta', partial_json: '1}' },
      ),
      ...block(6, empty, { type: 'thinking_delta', thinking: 'So.' }, { type: 'signature_delta', signature: 'Mw' }),
      ...block(7, { type: 'text', text: '' }, { type: 'text_delta', text: 'Done.' }),
      { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 7 } },
      { type: 'message_stop' },
    ];
    const response = translate(events);
    expect(comparable(response.content)).toEqual(comparable(contentOf(events)));
    expect(response.events.at(-2)).toMatchObject({
      delta: { stop_reason: 'tool_use' },
      usage: { input_tokens: 9, output_tokens: 7 },
    });
  });

  test.skipIf(!recorded).each(['anthropic-text', 'anthropic-tool-no-args', 'anthropic-json-tool.1'])(
    'is the same as in the recording %s',
    (name) => {
      const lines = readFileSync(join(recordings, `${name}.chunks.txt`), 'utf8').split('\n');
      const events: Event[] = lines.filter((line) => line.trim() !== '').map((line) => JSON.parse(line));
      const response = translate(events);
      expect(comparable(response.content)).toEqual(comparable(contentOf(events)));
      expect(response.events.at(-2)?.delta).toEqual(events.at(-2)?.delta as Record<string, unknown>);
    },
  );
});

test.skipIf(!recorded).each(['anthropic-text', 'anthropic-tool-no-args'])(
  'the recorded response %s is returned unchanged',
  (name) => {
    const text = readFileSync(join(recordings, `${name}.json`), 'utf8');
    const call = callOf({ messages: [hello] });
    const body = readBody(text, call, target().deployment);
    if (body.usage === null) throw new Error('no usage was read');
    const charge = { usage: body.usage, costUsd: '0' };
    const response = JSON.parse(
      messagesDialect.renderBody(JSON.parse(body.render(charge)), { call, charge, requestId }),
    );
    const { content, stop_reason, usage } = JSON.parse(text);
    expect(response).toMatchObject({ content, model: 'm', stop_reason });
    expect(response.usage).toMatchObject({ input_tokens: usage.input_tokens, output_tokens: usage.output_tokens });
  },
);
