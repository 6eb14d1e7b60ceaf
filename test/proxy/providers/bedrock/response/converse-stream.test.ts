/** Converse's events become chunks of a chat completion, however the network splits their frames. */
import { describe, expect, test } from 'bun:test';
import { noUsage } from '../../../../../proxy/nouns/usage.ts';
import { assemble, splittings } from '../../anthropic/message-events.ts';
import {
  blockStop,
  callStart,
  converseStream,
  delta,
  errorFrame,
  everything,
  exceptionFrame,
  frame,
  joined,
  messageStart,
  messageStop,
  metadata,
  run,
  text,
  usage,
} from '../frames.ts';

const hello = [messageStart, ...text(0, 'Hel', 'lo.')];
const done = [messageStop('end_turn'), metadata(usage)];

test('thinking, text and calls are the same wherever the bytes are split', () => {
  const expected = {
    content: 'Grüße, I call two.',
    reasoning: 'Let me see 👀.',
    thinkingBlocks: [
      { type: 'thinking', thinking: 'Let me see 👀.', signature: 'sig-1' },
      { type: 'redacted_thinking', data: 'b3BhcXVl' },
    ],
    calls: [
      { id: 'tooluse_1', name: 'weather', arguments: '{"place": "Oslo"}' },
      { id: 'tooluse_2', name: 'now', arguments: '{}' },
    ],
    finishReasons: ['tool_calls'],
  };
  const bytes = joined(everything);
  const { deliveredTokens } = run([bytes]);
  let splits = 0;
  for (const segments of splittings(bytes)) {
    const { chunks, ...outcome } = run(segments);
    const at = segments[0]?.byteLength;
    expect({ at, response: assemble(chunks), ...outcome }).toMatchObject({
      at,
      response: expected,
      complete: true,
      ended: true,
      deliveredTokens,
    });
    splits += 1;
  }
  expect(splits).toBe(bytes.byteLength + 1);
});

test('the first chunk has the role, and all chunks belong to one completion', () => {
  const { chunks } = run([joined([...hello, ...done])]);
  expect(chunks[0]?.choices[0]?.delta).toEqual({ role: 'assistant', content: 'Hel' });
  expect(new Set(chunks.map(({ id, model, created }) => `${id} ${model} ${created}`)).size).toBe(1);
});

describe('the usage of a Converse stream', () => {
  test('includes cache reads and writes in the prompt', () => {
    expect(run([joined(everything)]).usage).toEqual({
      ...noUsage,
      promptTokens: 1212,
      cachedPromptTokens: 1000,
      cacheWriteTokens: 200,
      completionTokens: 80,
      reasoningTokens: 0,
    });
  });

  test('is unknown until the last event, even if the response ends before it', () => {
    const outcome = run([joined([...hello, messageStop('end_turn')])]);
    expect(outcome).toMatchObject({ usage: null, complete: true, ended: false });
    expect(outcome.deliveredTokens).toBeGreaterThan(0);
  });

  test('is unknown if it is absurd or missing', () => {
    for (const wrong of [
      { inputTokens: -1, outputTokens: 1 },
      { inputTokens: 1 },
      { inputTokens: '1', outputTokens: 1 },
      {},
    ]) {
      expect(run([joined([...hello, messageStop('end_turn'), metadata(wrong)])])).toMatchObject({
        usage: null,
        complete: true,
        ended: true,
      });
    }
  });
});

test.each([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['guardrail_intervened', 'content_filter'],
  ['content_filtered', 'content_filter'],
  ['tool_use', 'stop'],
  ['something_new', 'stop'],
])('the stop reason %s without a call becomes %s', (reason, finish) => {
  const { finishReasons } = assemble(run([joined([...hello, messageStop(reason), metadata(usage)])]).chunks);
  expect<unknown>(finishReasons).toEqual([finish]);
});

test('the input of the JSON tool in a stream is the content', () => {
  const frames = [
    messageStart,
    ...text(0, 'Here it is:'),
    callStart(1, 'tooluse_1', 'json'),
    delta(1, { toolUse: { input: '{"city":' } }),
    delta(1, { toolUse: { input: '"Oslo"}' } }),
    blockStop(1),
    messageStop('tool_use'),
    metadata(usage),
  ];
  const { content, calls, finishReasons } = assemble(run([joined(frames)], { jsonTool: 'json' }).chunks);
  expect({ content, calls, finishReasons }).toEqual({ content: '{"city":"Oslo"}', calls: [], finishReasons: ['stop'] });
});

test('events and deltas of unknown types are ignored', () => {
  const strange = [frame('initial-response', {}), frame('surprise', { a: 1 }), delta(0, { citation: { title: 'x' } })];
  const { chunks, ended, failure } = run([joined([messageStart, ...strange, ...text(0, 'Hello.'), ...done])]);
  expect({ content: assemble(chunks).content, ended, failure }).toEqual({
    content: 'Hello.',
    ended: true,
    failure: undefined,
  });
});

describe('a failing Converse stream', () => {
  test('a Converse stream fails at a corrupt frame, after the output before it is delivered', () => {
    const sound = joined(hello);
    const bad = delta(0, { text: 'changed' });
    for (let offset = 0; offset < bad.byteLength; offset += 1) {
      const changed = bad.slice();
      changed[offset] = (changed[offset] ?? 0) ^ 0x10;
      const outcome = run([joined([sound, changed, ...done])]);
      expect([offset, assemble(outcome.chunks).content, outcome.failure, outcome.complete]).toEqual([
        offset,
        'Hello.',
        "The provider's stream is corrupt.",
        false,
      ]);
    }
  });

  test.each([
    ['throttlingException', { reason: 'refused', status: 429 }],
    ['modelStreamErrorException', { reason: 'refused', status: 500 }],
    ['internalServerException', { reason: 'refused', status: 500 }],
    ['serviceUnavailableException', { reason: 'refused', status: 503 }],
    ['modelTimeoutException', { reason: 'refused', status: 408 }],
    ['validationException', { reason: 'rejected', status: 400 }],
    ['somethingNewException', { reason: 'refused', status: undefined }],
  ])('a Converse stream fails at a %s, which has the same meaning as a response of that name', (type, expected) => {
    const stream = converseStream();
    expect(() => stream.push(exceptionFrame(type, 'It went wrong.'))).toThrow('It went wrong.');
    const late = converseStream();
    late.push(joined([...hello, exceptionFrame(type, 'It went wrong.')]));
    expect(late).toMatchObject({ complete: false, ended: true, failure: { ...expected, message: 'It went wrong.' } });
  });

  test('a Converse stream fails at an error without a payload, and denied access is not disclosed', () => {
    expect(run([errorFrame('InternalFailure', 'Oops.')]).failure).toBe('Oops.');
    expect(run([exceptionFrame('accessDeniedException', 'account 123 …')]).failure).toBe(
      "The provider refused the gateway's request.",
    );
  });

  test('a Converse stream that ends in the middle of a frame fails as incomplete', () => {
    const bytes = joined([...hello, ...done]);
    expect(run([bytes.subarray(0, joined(hello).byteLength + 9)])).toMatchObject({ complete: false, ended: false });
  });
});

test('a response that is cut short ends with the reason length', () => {
  const stream = converseStream({ includeUsage: true });
  stream.push(joined(hello));
  expect(stream.cutShort()).toContain('"finish_reason":"length"');
  expect(stream).toMatchObject({ complete: true, ended: true, usage: null });
});
