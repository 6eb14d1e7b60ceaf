/** Anthropic's events become chunks of a chat completion, however the network splits them. */
import { describe, expect, test } from 'bun:test';
import { noUsage } from '../../../../../proxy/nouns/usage.ts';
import { openaiSchemasMissing, schemaProblems } from '../../../../harness/openapi/openai-schemas.ts';
import {
  assemble,
  block,
  chunksOf,
  end,
  framed,
  interleaved,
  json,
  messageStart,
  messageStream,
  type ProviderEventObject,
  ping,
  response,
  run,
  runEvents,
  splittings,
  startUsage,
  text,
  textBlock,
  toolUse,
} from '../message-events.ts';

describe("the response assembled from Anthropic's events", () => {
  test('has interleaved signed thinking, text, and parallel tool calls, one without arguments', () => {
    const outcome = runEvents(interleaved, { keepsOrder: true });
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
      ...noUsage,
      promptTokens: 12,
      completionTokens: 80,
      reasoningTokens: 30,
    });
  });

  test('has chunks with the same id, model and time, one choice, at most one call, and the role first', () => {
    const { chunks } = runEvents(interleaved);
    for (const chunk of chunks) {
      expect(chunk).toMatchObject({
        id: 'chatcmpl-01Abc',
        object: 'chat.completion.chunk',
        created: 1_790_000_000,
        model: 'test/claude',
      });
      expect(chunk.choices).toHaveLength(1);
      expect(chunk.choices[0]?.delta.tool_calls?.length ?? 1).toBe(1);
    }
    expect(chunks.map(({ choices }) => choices[0]?.delta.role)).toEqual([
      'assistant',
      ...chunks.slice(1).map(() => undefined),
    ]);
  });

  test.skipIf(openaiSchemasMissing)('has chunks that validate against OpenAI’s schema, with and without usage', () => {
    for (const includeUsage of [false, true]) {
      const stream = messageStream({ includeUsage });
      const output = new TextDecoder().decode(stream.push(framed(interleaved)));
      const usage = stream.usage;
      if (usage === null) throw new Error('no usage');
      const all = chunksOf(output + stream.close({ usage, costUsd: '0.00000012' }));
      expect(all.flatMap((chunk) => schemaProblems('CreateChatCompletionStreamResponse', chunk))).toEqual([]);
    }
  });

  test('is the same when split at every byte offset, and byte by byte', () => {
    const bytes = framed(interleaved);
    const expected = run([bytes]);
    for (const chunks of splittings(bytes)) expect(run(chunks)).toEqual(expected);
  });

  test('is the same with every line ending that SSE allows', () => {
    for (const ending of ['\r\n', '\r']) {
      // Only the next character shows that a carriage return ends a line.
      const next = new TextEncoder().encode(`: comment${ending}`);
      expect(run([framed(interleaved, ending), next])).toEqual(runEvents(interleaved));
    }
  });

  test('keeps overlapping blocks apart', () => {
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

  test('includes text, thinking and input from the start of a block', () => {
    const { chunks } = runEvents([
      ...response(
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

  test('includes whole blocks from the start of the message', () => {
    const start = messageStart(startUsage, { content: [toolUse('a', 'f', { x: 1 })] });
    expect(assemble(runEvents([start, ...end('tool_use')]).chunks)).toMatchObject({
      calls: [{ id: 'a', arguments: '{"x":1}' }],
      finishReasons: ['tool_calls'],
    });
  });

  test('ignores pings and unknown events, blocks and deltas, and only counts searches of the web', () => {
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
    const events = [
      ...noise,
      ...response(noise, block(0, textBlock, [text('Hi')]), noise),
      ...noise,
      ...end('end_turn'),
    ];
    const plain = runEvents([...response(block(0, textBlock, [text('Hi')])), ...end('end_turn')]);
    expect(runEvents(events)).toEqual({ ...plain, usage: { ...noUsage, ...plain.usage, webSearches: 4 } });
    expect(run([new TextEncoder().encode(': comment\n\nretry: 5\n\n'), framed([ping])])).toMatchObject({ output: '' });
  });

  test('does not need members that are null or missing', () => {
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
