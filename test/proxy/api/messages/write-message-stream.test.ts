/** Chat chunks become a message's events: one block is open at a time, with ascending indices, and nothing is lost. */
import { describe, expect, test } from 'bun:test';
import { MessageStream } from '../../../../proxy/api/messages/response/write-message-stream.ts';
import type { ChatChunk, ChatDelta, FinishReason } from '../../../../proxy/nouns/chat-completion.ts';
import { noUsage } from '../../../../proxy/nouns/usage.ts';
import { ChatStream } from '../../../../proxy/providers/openai/stream/openai-stream.ts';
import { DialectResponseStream } from '../../../../proxy/request/response/dialect-response-stream.ts';
import { GatewayError } from '../../../../shared/errors.ts';
import { contentOf, type Event, readEvents } from './read-as-client.ts';

const requestId = '01920000-0000-7000-8000-000000000001';
const charge = {
  usage: { ...noUsage, promptTokens: 9, cachedPromptTokens: 4, completionTokens: 7 },
  costUsd: '0.000000123',
};

function chunk(delta: ChatDelta, finish_reason: FinishReason | null = null): ChatChunk {
  const choices = [{ index: 0, delta, finish_reason }];
  return { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'answered', choices };
}

function run(...chunks: ChatChunk[]): Event[] {
  const stream = new MessageStream({ model: 'asked', requestId });
  return readEvents(chunks.map((one) => stream.push(one)).join('') + stream.close(charge));
}

const callChunk = (index: number, args: string, id?: string) =>
  chunk({
    tool_calls: [
      id === undefined
        ? { index, function: { arguments: args } }
        : { index, id, type: 'function', function: { name: `tool_${id}`, arguments: args } },
    ],
  });

test('a text becomes the events of a message', () => {
  expect(
    run(
      chunk({ role: 'assistant', content: '' }),
      chunk({ content: 'Hel' }),
      chunk({ content: 'lo' }),
      chunk({}, 'stop'),
    ),
  ).toEqual([
    {
      type: 'message_start',
      message: {
        id: 'msg_01920000000070008000000000000001',
        type: 'message',
        role: 'assistant',
        model: 'asked',
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { input_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 0 },
      },
    },
    { type: 'ping' },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hel' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'lo' } },
    { type: 'content_block_stop', index: 0 },
    {
      type: 'message_delta',
      delta: { stop_reason: 'end_turn', stop_sequence: null },
      usage: {
        input_tokens: 5,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 4,
        output_tokens: 7,
        output_tokens_details: { thinking_tokens: 0 },
        cost: 0.000000123,
      },
    },
    { type: 'message_stop' },
  ]);
});

test('an empty response becomes a complete message', () => {
  expect(run(chunk({}, 'stop')).map(({ type }) => type)).toEqual([
    'message_start',
    'ping',
    'message_delta',
    'message_stop',
  ]);
  expect(run().map(({ type }) => type)).toEqual(['message_start', 'ping', 'message_delta', 'message_stop']);
});

describe('thinking', () => {
  const text = [chunk({ content: 'Yes.' }), chunk({}, 'stop')];
  const chunks = [chunk({ reasoning_content: 'H' }), chunk({ reasoning_content: 'm.' })];
  const textBlock = { type: 'text', text: 'Yes.' };

  test('thinking without a signature becomes a block with an empty one', () => {
    expect(contentOf(run(...chunks, ...text))).toEqual([
      { type: 'thinking', thinking: 'Hm.', signature: '' },
      textBlock,
    ]);
  });

  test.each([
    ['the signature alone', { type: 'thinking', signature: 'c2ln' }],
    ['the signature with an empty text', { type: 'thinking', thinking: '', signature: 'c2ln' }],
    ['the whole block once more', { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' }],
  ] as const)('gets the signature that follows its chunks: %s', (_name, block) => {
    expect(contentOf(run(...chunks, chunk({ thinking_blocks: [block] }), ...text))).toEqual([
      { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' },
      textBlock,
    ]);
  });

  test('can consist of several whole blocks', () => {
    const blocks = [
      { type: 'thinking', thinking: 'One.', signature: 'MQ' },
      { type: 'redacted_thinking', data: 'ZA' },
      { type: 'redacted_thinking', data: 'ZB' },
      { type: 'thinking', thinking: '', signature: 'Mg' },
      { type: 'thinking', thinking: 'Three.', signature: 'Mw' },
    ] as const;
    expect(contentOf(run(chunk({ thinking_blocks: blocks }), ...text))).toEqual([...blocks, textBlock]);
  });

  test('is sent once if it is reported in both ways', () => {
    const both = (thinking: string) =>
      chunk({ reasoning_content: thinking, thinking_blocks: [{ type: 'thinking', thinking }] });
    const signature = chunk({ thinking_blocks: [{ type: 'thinking', thinking: '', signature: 'c2ln' }] });
    expect(contentOf(run(both('H'), both('m.'), signature, ...text))).toEqual([
      { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' },
      textBlock,
    ]);
  });
});

describe('tool calls', () => {
  const block = (id: string, input: string) => ({ type: 'tool_use', id, name: `tool_${id}`, input });

  test('become one block each if they are parallel', () => {
    const events = run(
      chunk({ content: 'Let me see.' }),
      callChunk(0, '', 'a'),
      callChunk(0, '{"x":'),
      callChunk(0, '1}'),
      callChunk(1, '{}', 'b'),
      callChunk(2, '{"y":2}', 'c'),
      chunk({}, 'tool_calls'),
    );
    expect(contentOf(events)).toEqual([
      { type: 'text', text: 'Let me see.' },
      block('a', '{"x":1}'),
      block('b', '{}'),
      block('c', '{"y":2}'),
    ]);
    expect(events.at(-2)?.delta?.stop_reason).toBe('tool_use');
  });

  test('are sent one after the other if they are interleaved', () => {
    const events = run(
      callChunk(0, '', 'a'),
      callChunk(1, '', 'b'),
      callChunk(1, '{"y"'),
      callChunk(0, '{"x":{"}":'),
      callChunk(1, ':2}'),
      chunk({ content: 'Two calls.' }),
      callChunk(0, '1}}'),
      callChunk(0, '\n'),
      chunk({}, 'tool_calls'),
    );
    expect(contentOf(events)).toEqual([
      block('a', '{"x":{"}":1}}'),
      block('b', '{"y":2}'),
      { type: 'text', text: 'Two calls.' },
    ]);
  });

  test('lose nothing if their arguments are incomplete', () => {
    const events = run(callChunk(0, '{"x":', 'a'), callChunk(1, '{"y"', 'b'), chunk({}, 'length'));
    expect(contentOf(events)).toEqual([block('a', '{"x":'), block('b', '{"y"')]);
    expect(events.at(-2)?.delta?.stop_reason).toBe('max_tokens');
  });

  test('are sent immediately if their arguments are complete in one chunk', () => {
    const stream = new MessageStream({ model: 'asked', requestId });
    stream.push(callChunk(0, '{}', 'a'));
    expect(stream.push(callChunk(1, '{"y":', 'b'))).toContain('"partial_json":"{\\"y\\":"');
  });
});

test('a refusal becomes text of the message, and the stop reason', () => {
  const events = run(chunk({ refusal: 'I ' }), chunk({ refusal: 'cannot.' }), chunk({}, 'stop'));
  expect(contentOf(events)).toEqual([{ type: 'text', text: 'I cannot.' }]);
  expect(events.at(-2)?.delta?.stop_reason).toBe('refusal');
});

test('a message stream that breaks off ends with the error', () => {
  const stream = new MessageStream({ model: 'asked', requestId });
  const text = stream.push(chunk({ content: 'a' })) + stream.fail(new GatewayError('upstream_error', 'It broke.'));
  expect(readEvents(text).at(-1)).toEqual({
    type: 'error',
    error: { type: 'api_error', message: 'It broke.', code: 'upstream_error' },
    request_id: requestId,
  } as Event);
});

describe('the message stream behind an adapter', () => {
  const provider = [
    chunk({ role: 'assistant', content: '' }),
    chunk({ reasoning_content: 'Grüße? 👋' }),
    chunk({ content: 'Grüße 👋' }),
    callChunk(0, '{"x":"ß"}', 'a'),
    chunk({}, 'tool_calls'),
  ];
  const bytes = new TextEncoder().encode(
    `${provider.map((one) => `data: ${JSON.stringify(one)}\n\n`).join('')}: a comment\n\ndata: [DONE]\n\n`,
  );

  function translate(chunks: readonly Uint8Array[]): string {
    const inner = new ChatStream({ includeUsage: false, model: 'm' });
    const stream = new DialectResponseStream(inner, new MessageStream({ model: 'asked', requestId }));
    const decoder = new TextDecoder();
    const text = chunks.map((part) => decoder.decode(stream.push(part))).join('');
    return text + stream.close(charge);
  }

  test('has the same events when split at every byte offset', () => {
    const whole = translate([bytes]);
    expect(whole).not.toContain('[DONE]');
    expect(contentOf(readEvents(whole))).toHaveLength(3);
    for (let offset = 1; offset < bytes.length; offset += 1) {
      expect(translate([bytes.slice(0, offset), bytes.slice(offset)])).toBe(whole);
    }
    expect(translate(Array.from(bytes, (byte) => new Uint8Array([byte])))).toBe(whole);
  });

  test('has a stop reason of this format, whatever OpenRouter calls the native one', () => {
    const { choices, ...head } = callChunk(0, '{}', 'a');
    const ends = { index: 0, delta: {}, finish_reason: 'tool_calls', native_finish_reason: 'STOP' };
    const sent = [
      { ...head, choices },
      { ...head, choices: [ends] },
    ].map((one) => `data: ${JSON.stringify(one)}\n\n`);
    const events = readEvents(translate([new TextEncoder().encode(sent.join(''))]));
    expect(events.at(-2)?.delta?.stop_reason).toBe('tool_use');
  });

  test('is a complete message if it is cut short by a limit', () => {
    const stream = new DialectResponseStream(
      new ChatStream({ includeUsage: false, model: 'm' }),
      new MessageStream({ model: 'asked', requestId }),
    );
    const started = new TextDecoder().decode(stream.push(bytes.slice(0, 500)));
    const events = readEvents(started + stream.cutShort() + stream.close(charge));
    contentOf(events);
    expect(events.at(-2)?.delta?.stop_reason).toBe('max_tokens');
  });
});
