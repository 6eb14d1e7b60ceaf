/** Anthropic's events as chunks of a chat completion, however the network cuts them. */
import { describe, expect, test } from 'bun:test';
import { openaiSchemasMissing, schemaProblems } from '../../../harness/openai-schemas.ts';
import {
  assemble,
  block,
  chunksOf,
  framed,
  json,
  messageDelta,
  messageStart,
  messageStop,
  messageStream,
  type ProviderEventObject,
  ping,
  run,
  runEvents,
  splittings,
  startUsage,
  text,
  thinking,
} from './message-events.ts';

const answer = (...blocks: readonly ProviderEventObject[][]) => [messageStart(), ...blocks.flat()];
const end = (stopReason: string, usage?: object) => [messageDelta(stopReason, usage), messageStop];
const textBlock = { type: 'text', text: '' };
const thinkingBlock = { type: 'thinking', thinking: '', signature: '' };
const signature = (value: string) => ({ type: 'signature_delta', signature: value });
const toolUse = (id: string, name: string, input: object = {}) => ({ type: 'tool_use', id, name, input });

const interleaved = [
  ...answer(
    block(0, thinkingBlock, [thinking('Let me '), thinking('see 👀.'), signature('sig-1')]),
    block(1, { type: 'redacted_thinking', data: 'opaque' }),
    block(2, textBlock, [text('Grüße, '), text(''), text('I call two.')]),
    block(3, thinkingBlock, [thinking('Both.'), signature('sig'), signature('-2')]),
  ),
  ping,
  ...block(4, toolUse('toolu_1', 'weather'), [json(''), json('{"place": "Os'), json('lo"}')]),
  ...block(5, toolUse('toolu_2', 'now'), [json('')]),
  ...end('tool_use', { output_tokens: 80, output_tokens_details: { thinking_tokens: 30 } }),
];

describe('what a client puts together', () => {
  test('interleaved thoughts with signatures, text, and parallel tool calls of which one has no arguments', () => {
    const outcome = runEvents(interleaved);
    expect(outcome).toMatchObject({ complete: true, ended: true, failure: undefined });
    expect(assemble(outcome.chunks)).toEqual({
      content: 'Grüße, I call two.',
      reasoning: 'Let me see 👀.Both.',
      thinkingBlocks: [
        { type: 'thinking', thinking: 'Let me see 👀.', signature: 'sig-1' },
        { type: 'redacted_thinking', data: 'opaque' },
        { type: 'thinking', thinking: 'Both.', signature: 'sig-2' },
      ],
      calls: [
        { id: 'toolu_1', name: 'weather', arguments: '{"place": "Oslo"}' },
        { id: 'toolu_2', name: 'now', arguments: '{}' },
      ],
      finishReasons: ['tool_calls'],
    });
    expect(outcome.usage).toEqual({
      promptTokens: 12,
      cachedPromptTokens: 0,
      cacheWriteTokens: 0,
      completionTokens: 80,
      reasoningTokens: 30,
    });
  });

  test('every chunk has one choice, one tool call at most, and the same id, model and time; the first delta has the role', () => {
    const { chunks } = runEvents(interleaved);
    for (const chunk of chunks) {
      expect(chunk).toMatchObject({
        id: 'chatcmpl-01Abc',
        object: 'chat.completion.chunk',
        created: 1_790_000_000,
        model: 'claude-x',
      });
      expect(chunk.choices).toHaveLength(1);
      expect(chunk.choices[0]?.delta.tool_calls?.length ?? 1).toBe(1);
    }
    expect(chunks.map(({ choices }) => choices[0]?.delta.role)).toEqual([
      'assistant',
      ...chunks.slice(1).map(() => undefined),
    ]);
  });

  test.skipIf(openaiSchemasMissing)('every chunk validates against OpenAI’s schema, with usage and without', () => {
    for (const includeUsage of [false, true]) {
      const stream = messageStream({ includeUsage });
      const output = new TextDecoder().decode(stream.push(framed(interleaved)));
      const usage = stream.usage;
      if (usage === null) throw new Error('no usage');
      const all = chunksOf(output + stream.close({ usage, costUsd: '0.00000012' }));
      expect(all.flatMap((chunk) => schemaProblems('CreateChatCompletionStreamResponse', chunk))).toEqual([]);
    }
  });

  test('split at every byte offset, and byte by byte, it is the same', () => {
    const bytes = framed(interleaved);
    const expected = run([bytes]);
    for (const pieces of splittings(bytes)) expect(run(pieces)).toEqual(expected);
  });

  test('every line ending that SSE allows is understood', () => {
    for (const ending of ['\r\n', '\r']) {
      // A carriage return is known to end a line when the next character has come.
      const next = new TextEncoder().encode(`: comment${ending}`);
      expect(run([framed(interleaved, ending), next])).toEqual(runEvents(interleaved));
    }
  });

  test('blocks that overlap are kept apart', () => {
    const { chunks } = runEvents([
      messageStart(),
      { type: 'content_block_start', index: 0, content_block: toolUse('a', 'f') },
      { type: 'content_block_start', index: 1, content_block: toolUse('b', 'g') },
      { type: 'content_block_delta', index: 1, delta: json('{"g":1}') },
      { type: 'content_block_delta', index: 0, delta: json('{"f":1}') },
      ...end('tool_use'),
    ]);
    expect(assemble(chunks).calls).toEqual([
      { id: 'a', name: 'f', arguments: '{"f":1}' },
      { id: 'b', name: 'g', arguments: '{"g":1}' },
    ]);
  });

  test('text, thoughts and input that come with a block’s start are not lost', () => {
    const { chunks } = runEvents([
      ...answer(
        block(0, { type: 'thinking', thinking: 'Hm', signature: 's' }),
        block(1, { type: 'text', text: 'Hi' }, [text('!')]),
        block(2, toolUse('a', 'f', { x: 1 })),
        block(3, toolUse('', 'g')),
      ),
      ...end('tool_use'),
    ]);
    expect(assemble(chunks)).toMatchObject({
      content: 'Hi!',
      reasoning: 'Hm',
      thinkingBlocks: [{ type: 'thinking', thinking: 'Hm', signature: 's' }],
      calls: [
        { id: 'a', name: 'f', arguments: '{"x":1}' },
        { id: 'call_01Abc_1', name: 'g', arguments: '{}' },
      ],
    });
  });

  test('blocks that come whole with the message’s start are not lost either', () => {
    const start = messageStart(startUsage, { content: [toolUse('a', 'f', { x: 1 })] });
    expect(assemble(runEvents([start, ...end('tool_use')]).chunks)).toMatchObject({
      calls: [{ id: 'a', arguments: '{"x":1}' }],
      finishReasons: ['tool_calls'],
    });
  });

  test('what is none of ours is passed over: pings, unknown events, blocks, deltas, citations, server tools', () => {
    const noise: ProviderEventObject[] = [
      ...Array.from({ length: 50 }, () => ping),
      { type: 'weather_report', delta: 5, usage: 'x', message: null },
      ...block(7, { type: 'server_tool_use', id: 'srv', name: 'web_search', input: {} }, [json('{"query":"x"}')]),
      ...block(8, { type: 'web_search_tool_result', tool_use_id: 'srv', content: [{ type: 'web_search_result' }] }),
      ...block(9, { type: 'hologram', text: { deep: true } }, [{ type: 'hologram_delta', text: 5 }]),
      { type: 'content_block_delta', index: 0, delta: { type: 'citations_delta', citation: { cited_text: 'x' } } },
      { type: 'content_block_start', index: 10, content_block: null },
      { type: 'content_block_delta', index: 77, delta: json('{}') },
      { type: 'content_block_stop', index: 78 },
    ];
    const events = [...noise, ...answer(noise, block(0, textBlock, [text('Hi')]), noise), ...noise, ...end('end_turn')];
    expect(runEvents(events)).toEqual(runEvents([...answer(block(0, textBlock, [text('Hi')])), ...end('end_turn')]));
    expect(run([new TextEncoder().encode(': comment\n\nretry: 5\n\n'), framed([ping])])).toMatchObject({ output: '' });
  });

  test('members that are null or missing are not needed', () => {
    const { chunks, usage, complete } = runEvents([
      { type: 'message_start', message: { id: null, model: null, content: null, usage: null } },
      { type: 'content_block_start', content_block: { type: 'text', text: null } },
      { type: 'content_block_delta', delta: { type: 'text_delta', text: null } },
      { type: 'content_block_delta', delta: text('Hi') },
      { type: 'message_delta', delta: null, usage: null },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' } },
    ]);
    expect(assemble(chunks)).toMatchObject({ content: 'Hi', finishReasons: ['stop'] });
    expect(chunks[0]).toMatchObject({ model: 'test/claude', id: expect.stringMatching(/^chatcmpl-.{36}$/) });
    expect({ usage, complete }).toEqual({ usage: null, complete: true });
  });
});

describe('the end', () => {
  const reasons = {
    end_turn: 'stop',
    stop_sequence: 'stop',
    pause_turn: 'stop',
    max_tokens: 'length',
    model_context_window_exceeded: 'length',
    refusal: 'content_filter',
    of_the_future: 'stop',
  };
  for (const [stopReason, finishReason] of Object.entries(reasons)) {
    test(`${stopReason} → ${finishReason}`, () => {
      const { chunks, complete } = runEvents([...answer(block(0, textBlock, [text('Hi')])), ...end(stopReason)]);
      expect(assemble(chunks).finishReasons.map(String)).toEqual([finishReason]);
      expect(complete).toBe(true);
    });
  }

  test('a refusal before any text is an answer too', () => {
    const outcome = runEvents([messageStart(), ...end('refusal', { output_tokens: 0 })]);
    expect(assemble(outcome.chunks)).toMatchObject({ content: '', finishReasons: ['content_filter'] });
    expect(outcome.chunks[0]?.choices[0]?.delta.role).toBe('assistant');
    expect(outcome.usage?.completionTokens).toBe(0);
  });

  test('it comes once, whether or not message_stop comes, and also where no reason was given', () => {
    const said = answer(block(0, textBlock, [text('Hi')]));
    const unstopped = runEvents([...said, messageDelta('end_turn')]);
    expect(unstopped).toMatchObject({ complete: true, ended: false });
    expect(assemble(unstopped.chunks).finishReasons).toEqual(['stop']);
    const repeated = runEvents([...said, messageDelta('end_turn'), messageDelta('end_turn'), messageStop, messageStop]);
    expect(assemble(repeated.chunks).finishReasons).toEqual(['stop']);
    expect(assemble(runEvents([...said, messageStop]).chunks).finishReasons).toEqual(['stop']);
    const called = answer(block(0, toolUse('a', 'f')));
    expect(assemble(runEvents([...called, messageStop]).chunks).finishReasons).toEqual(['tool_calls']);
  });

  test('a stream that breaks off is not complete, and has no usage: what message_start said is not the end', () => {
    const outcome = runEvents(answer(block(0, textBlock, [text('Hi')])));
    expect(outcome).toMatchObject({ complete: false, ended: false, usage: null, deliveredTokens: 1 });
  });

  test('cut short, it ends as if it had reached its limit', () => {
    const stream = messageStream();
    stream.push(framed(answer(block(0, textBlock, [text('Hi')]))));
    expect(chunksOf(stream.cutShort())).toMatchObject([{ choices: [{ delta: {}, finish_reason: 'length' }] }]);
    expect([stream.complete, stream.ended]).toEqual([true, true]);
  });

  test('the usage with its cost comes only where it is wanted, then [DONE]', () => {
    const usage = {
      promptTokens: 5,
      cachedPromptTokens: 2,
      cacheWriteTokens: 1,
      completionTokens: 3,
      reasoningTokens: 0,
    };
    const wanted = messageStream({ includeUsage: true });
    const output = new TextDecoder().decode(wanted.push(framed(interleaved)));
    expect(chunksOf(output).every((chunk) => 'usage' in chunk && chunk.usage === null)).toBe(true);
    const closing = wanted.close({ usage, costUsd: '0.000001' });
    expect(closing).toEndWith('"cost":0.000001}}\n\ndata: [DONE]\n\n');
    expect(chunksOf(closing)).toMatchObject([{ choices: [], usage: { prompt_tokens: 5, completion_tokens: 3 } }]);
    expect(messageStream().close({ usage, costUsd: '0' })).toBe('data: [DONE]\n\n');
  });
});

describe('usage', () => {
  const usageOf = (start: object | null, ...deltas: readonly (object | null)[]) =>
    runEvents([
      { type: 'message_start', message: { id: 'msg_1', model: 'm', usage: start } },
      ...block(0, textBlock, [text('Hi')]),
      ...deltas.map((usage, index) => messageDelta(index === deltas.length - 1 ? 'end_turn' : null, usage)),
    ]).usage;
  const counts = (promptTokens: number, completionTokens: number, extra: object = {}) => ({
    promptTokens,
    cachedPromptTokens: 0,
    cacheWriteTokens: 0,
    completionTokens,
    reasoningTokens: 0,
    ...extra,
  });

  test('the prompt is what was new, what was written to the cache and what was read from it', () => {
    const start = {
      input_tokens: 3,
      cache_creation_input_tokens: 200,
      cache_read_input_tokens: 1000,
      output_tokens: 1,
    };
    expect(usageOf(start, { output_tokens: 9 })).toEqual(
      counts(1203, 9, { cachedPromptTokens: 1000, cacheWriteTokens: 200 }),
    );
  });

  test('counts are cumulative: the last ones hold, also for the input', () => {
    expect(
      usageOf({ input_tokens: 0, output_tokens: 1 }, { output_tokens: 4 }, { input_tokens: 700, output_tokens: 9 }),
    ).toEqual(counts(700, 9));
    const revised = { input_tokens: 10, cache_read_input_tokens: 90, output_tokens: 9 };
    expect(usageOf({ input_tokens: 100, output_tokens: 1 }, revised)).toEqual(
      counts(100, 9, { cachedPromptTokens: 90 }),
    );
  });

  test('null is missing and keeps what was known, 0 is zero, absurd counts are missing', () => {
    expect(usageOf({ input_tokens: 12 }, { input_tokens: null, output_tokens: 9 })).toEqual(counts(12, 9));
    expect(usageOf({ input_tokens: 12 }, { output_tokens: 0 })).toEqual(counts(12, 0));
    expect(usageOf({ input_tokens: 12 }, { input_tokens: -5, output_tokens: 9 })).toEqual(counts(12, 9));
    expect(usageOf({ input_tokens: 12 }, { output_tokens: 1e12 })).toBeNull();
    expect(usageOf({ input_tokens: 12 }, { output_tokens: '9' })).toBeNull();
    expect(usageOf(null, { output_tokens: 9 })).toBeNull();
    expect(usageOf({ input_tokens: 12, output_tokens: 30 }, null)).toBeNull();
  });

  test('where the sum of what was written to the cache is missing, its parts are added', () => {
    const parts = { cache_creation: { ephemeral_5m_input_tokens: 20, ephemeral_1h_input_tokens: 30 } };
    expect(usageOf({ input_tokens: 1, ...parts }, { output_tokens: 9 })).toEqual(
      counts(51, 9, { cacheWriteTokens: 50 }),
    );
  });
});

describe('JSON answers by a tool', () => {
  const asJson = { jsonTool: 'json' };
  const jsonBlock = (index: number) => block(index, toolUse('a', 'json'), [json('{"city":'), json('"Oslo"}')]);

  test('the tool’s input is the content, and the answer has simply stopped', () => {
    const { chunks } = runEvents([...answer(jsonBlock(0)), ...end('tool_use')], asJson);
    expect(assemble(chunks)).toMatchObject({ content: '{"city":"Oslo"}', calls: [], finishReasons: ['stop'] });
  });

  test('text beside it is left out; without it, the text is the answer', () => {
    const aside = block(0, textBlock, [text('Here it is:')]);
    const both = runEvents([...answer(aside, jsonBlock(1)), ...end('tool_use')], asJson);
    expect(assemble(both.chunks).content).toBe('{"city":"Oslo"}');
    const only = runEvents([...answer(aside), ...end('end_turn')], asJson);
    expect(assemble(only.chunks)).toMatchObject({ content: 'Here it is:', finishReasons: ['stop'] });
  });

  test('a call of another tool is a tool call', () => {
    const { chunks } = runEvents([...answer(block(0, toolUse('b', 'weather'))), ...end('tool_use')], asJson);
    expect(assemble(chunks)).toMatchObject({
      content: '',
      calls: [{ name: 'weather' }],
      finishReasons: ['tool_calls'],
    });
  });

  test('without a schema, a tool of that name is the client’s own', () => {
    const { chunks } = runEvents([...answer(jsonBlock(0)), ...end('tool_use')]);
    expect(assemble(chunks)).toMatchObject({ calls: [{ name: 'json' }], finishReasons: ['tool_calls'] });
  });
});

describe('failures', () => {
  const overloaded = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };

  test('an error before any output fails the stream, and nothing has been written', () => {
    expect(runEvents([overloaded])).toMatchObject({ failure: 'Overloaded', output: '', deliveredTokens: 0 });
    expect(runEvents([messageStart(), ping, overloaded])).toMatchObject({ failure: 'Overloaded', output: '' });
  });

  test('an error after output comes after that output, wherever the network cuts', () => {
    const bytes = framed([...answer(block(0, textBlock, [text('Hi')])), overloaded]);
    const expected = run([bytes]);
    expect(expected).toMatchObject({ failure: 'Overloaded', complete: false, ended: true, deliveredTokens: 1 });
    expect(assemble(expected.chunks).content).toBe('Hi');
    for (const pieces of splittings(bytes)) expect(run(pieces)).toEqual(expected);
  });

  test('what breaks after a complete answer costs nobody the answer', () => {
    const said = [...answer(block(0, textBlock, [text('Hi')])), messageDelta('end_turn')];
    expect(run([framed(said), framed([overloaded])])).toMatchObject({ complete: true, ended: true });
  });

  test('an overload inside a stream has the status that it would have as an answer', () => {
    const stream = messageStream();
    const failure = catchFailure(() => stream.push(framed([overloaded])));
    expect(failure).toMatchObject({ reason: 'refused', status: 529 });
  });

  test('what an error says of our account is not for the client', () => {
    const unpaid = { type: 'error', error: { type: 'billing_error', message: 'Pay first.' } };
    expect(runEvents([unpaid]).failure).toBe('The provider refused the gateway.');
  });

  test('an error without words is told by its type', () => {
    expect(runEvents([{ type: 'error', error: { type: 'api_error' } }]).failure).toBe('api_error');
    expect(runEvents([{ type: 'error', error: {} }]).failure).toContain('error');
  });

  test('what is unreadable is malformed: no JSON, and known events of a wrong form', () => {
    expect(run([new TextEncoder().encode('data: <html>\n\n')]).failure).toContain('not JSON');
    const wrong: ProviderEventObject[] = [
      { type: 'message_start', message: 'x' },
      { type: 'message_delta', delta: { stop_reason: 5 } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 5 } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: {} } },
      { type: 'content_block_stop', index: 'zero' },
    ];
    for (const event of wrong) expect(runEvents([event]).failure).toContain('unreadable');
  });

  test('an endless event, and an endless thought, are refused instead of kept', () => {
    const stream = messageStream();
    const piece = new TextEncoder().encode('x'.repeat(1024 * 1024));
    expect(() => {
      for (let count = 0; count < 64; count += 1) stream.push(piece);
    }).toThrow('larger than can be taken');
    const thoughtful = messageStream();
    thoughtful.push(framed([messageStart(), { type: 'content_block_start', index: 0, content_block: thinkingBlock }]));
    const thought = framed([{ type: 'content_block_delta', index: 0, delta: thinking('x'.repeat(1024 * 1024)) }]);
    expect(() => {
      for (let count = 0; count < 64; count += 1) {
        thoughtful.push(thought);
        if (thoughtful.failure !== undefined) throw thoughtful.failure;
      }
    }).toThrow('larger than can be taken');
  });
});

test('text, thoughts and arguments count towards what was delivered; signatures do not', () => {
  const delivered = (...blocks: readonly ProviderEventObject[][]) => runEvents(answer(...blocks)).deliveredTokens;
  expect(delivered(block(0, textBlock, [text('Hi'), text(' you')]))).toBe(2);
  expect(delivered(block(0, thinkingBlock, [thinking('x'.repeat(600)), signature('y'.repeat(600))]))).toBe(100);
  expect(delivered(block(0, toolUse('a', 'f'), [json('{"x":1}')]))).toBe(2);
  expect(delivered()).toBe(0);
});

function catchFailure(attempt: () => unknown): unknown {
  try {
    attempt();
  } catch (error) {
    return error;
  }
  return undefined;
}
