/**
 * A streamed response passes through event by event, wherever its bytes are split, with the model's name and the cost.
 */
import { describe, expect, test } from 'bun:test';
import { UpstreamFailure } from '../../../../proxy/nouns/upstream-failure.ts';
import { noUsage } from '../../../../proxy/nouns/usage.ts';
import { PassedResponse } from '../../../../proxy/providers/openai-responses/response/passed-response.ts';
import { GatewayError } from '../../../../shared/errors.ts';
import { readEvents } from '../../api/responses/event-order.ts';
import { everything, framed, items, itemsUntil, message, opening, output } from './provider-events.ts';

const charge = {
  usage: { ...noUsage, promptTokens: 11, cachedPromptTokens: 4, completionTokens: 7 },
  costUsd: '0.0000001',
};
const encoder = new TextEncoder();

function passed(chunks: readonly (string | Uint8Array)[]) {
  const stream = new PassedResponse({ model: 'test/gpt', metadata: {} });
  const decoder = new TextDecoder();
  const texts = chunks.map((chunk) =>
    decoder.decode(stream.push(typeof chunk === 'string' ? encoder.encode(chunk) : chunk), { stream: true }),
  );
  return { stream, texts, text: texts.join('') };
}

test('the events are those of the provider, with the model’s name in the catalogue and the cost', () => {
  const { stream, text } = passed([everything]);
  expect(stream).toMatchObject({
    complete: true,
    ended: true,
    usage: { promptTokens: 11, cachedPromptTokens: 4, completionTokens: 7, reasoningTokens: 2 },
  });
  const events = readEvents(text + stream.close(charge));
  expect(events.slice(2, -1)).toEqual(readEvents(framed([...opening, ...items])).slice(2));
  expect(events.map(({ sequence_number }: { sequence_number?: number }) => sequence_number)).toEqual([
    ...events.keys(),
  ]);
  expect(events.at(0)).toMatchObject({ type: 'response.created', response: { model: 'test/gpt', usage: null } });
  expect(events.at(-1)).toMatchObject({
    type: 'response.completed',
    response: {
      model: 'test/gpt',
      store: false,
      output,
      usage: { input_tokens: 11, output_tokens: 7, total_tokens: 18, cost: 0.0000001 },
    },
  });
  expect(text + stream.close(charge)).not.toContain('upstream-2026');
  expect(stream.close(charge)).toContain('"cost":0.0000001}');
});

test('the events are the same wherever the provider’s bytes are split', () => {
  const bytes = encoder.encode(everything);
  const whole = passed([bytes]);
  const expected = whole.text + whole.stream.close(charge);
  for (let cut = 1; cut < bytes.length; cut += 1) {
    const { stream, text } = passed([bytes.subarray(0, cut), bytes.subarray(cut)]);
    if (text + stream.close(charge) !== expected) throw new Error(`cut at ${cut}`);
    if (stream.deliveredTokens !== whole.stream.deliveredTokens) throw new Error(`weighed differently at ${cut}`);
  }
});

test('each output is weighed exactly once', () => {
  const spoken = passed([framed([...opening, ...items])]).stream.deliveredTokens;
  expect(spoken).toBeGreaterThan(10);
  const atOnce = items.filter(({ type }) => type.startsWith('response.output_item.'));
  const silent = passed([framed([...opening, ...atOnce])]).stream.deliveredTokens;
  expect(Math.abs(silent - spoken)).toBeLessThanOrEqual(2);
});

test('nothing is delivered before the first output, so that another deployment can be tried', () => {
  const { stream, texts } = passed([framed(opening), framed([...opening, ...items]).slice(framed(opening).length)]);
  expect(texts[0]).toBe('');
  expect(texts[1]).toStartWith('event: response.created\n');
  expect(stream.complete).toBe(false);
});

describe('a failure that the provider reports', () => {
  const failed = { error: { code: 'server_error', message: 'The model crashed.' } };
  const failures = [
    { type: 'error', code: 'server_error', message: 'The model crashed.', param: null },
    { type: 'error', error: { type: 'server_error', code: 'server_error', message: 'The model crashed.' } },
    { type: 'response.failed', response: { status: 'failed', ...failed } },
  ];

  test.each(failures)('is thrown if it comes before any output: %j', (event) => {
    expect(() => passed([framed([...opening, event])])).toThrow('The model crashed.');
  });

  test.each(failures)('ends the stream after the output that came before it: %j', (event) => {
    const { stream, text } = passed([framed([...opening, ...items, event])]);
    expect(text).toContain('Begin Patch');
    expect(stream.failure).toBeInstanceOf(UpstreamFailure);
    expect(stream).toMatchObject({ ended: true, complete: false });
  });
});

test('a stream that fails reports that to every kind of client, with the output so far', () => {
  const { stream, text } = passed([framed([...opening, ...itemsUntil('response.output_text.delta')])]);
  const error = new GatewayError('upstream_error', 'The provider ended its response early.');
  const events = readEvents(text + stream.renderError(error));
  expect(events.map((event) => 'sequence_number' in event && event.sequence_number)).toEqual([...events.keys()]);
  expect(events.at(-2)).toMatchObject({ type: 'error', code: 'upstream_error', error: { code: 'upstream_error' } });
  expect(events.at(-1)).toMatchObject({
    type: 'response.failed',
    response: {
      status: 'failed',
      model: 'test/gpt',
      output: [{ type: 'reasoning' }, { content: [{ text: 'Grüße ' }] }],
    },
  });
});

test('a stream that is cut short by a limit is incomplete, and ends its open items', () => {
  for (const kind of ['output_text', 'function_call_arguments', 'custom_tool_call_input']) {
    const { stream, text } = passed([framed([...opening, ...itemsUntil(`response.${kind}.delta`)])]);
    const rest = stream.cutShort() + stream.close(charge);
    const events = readEvents(text + rest);
    expect(events.map((event) => 'sequence_number' in event && event.sequence_number)).toEqual([...events.keys()]);
    expect(stream.complete).toBe(true);
    const last = events.at(-1);
    expect(last).toMatchObject({
      type: 'response.incomplete',
      response: {
        status: 'incomplete',
        incomplete_details: { reason: 'max_output_tokens' },
        usage: { cost: 0.0000001 },
      },
    });
    if (last?.type !== 'response.incomplete') throw new Error('no end');
    const done = events.filter((event) => event.type === 'response.output_item.done');
    expect(done.map(({ item }) => item)).toEqual(last.response.output);
    expect(last.response.output.at(-1)).toMatchObject({ status: 'incomplete' });
  }
});

test('whole items without deltas from a provider are passed on as well', () => {
  const done = { type: 'response.output_item.done', output_index: 0, item: message };
  const added = { type: 'response.output_item.added', output_index: 0, item: message };
  const end = { type: 'response.incomplete', response: { status: 'incomplete', output: [message], usage: null } };
  const { stream } = passed([framed([...opening, added, done, end])]);
  expect(stream).toMatchObject({ complete: true, usage: null });
  expect(stream.deliveredTokens).toBeGreaterThan(0);
});

test('an event that never ends is refused', () => {
  const stream = new PassedResponse({ model: 'm', metadata: {} });
  const chunk = encoder.encode(`data: ${'x'.repeat(1024 * 1024)}`);
  expect(() => {
    for (let count = 0; count < 64; count += 1) stream.push(chunk);
  }).toThrow('too large');
});
