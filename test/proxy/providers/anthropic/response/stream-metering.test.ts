/** What a streamed response is charged for: the provider's counts, or the delivered output. */
import { describe, expect, test } from 'bun:test';
import { noUsage } from '../../../../../proxy/nouns/usage.ts';
import {
  block,
  json,
  messageDelta,
  type ProviderEventObject,
  response,
  runEvents,
  signature,
  text,
  textBlock,
  thinking,
  thinkingBlock,
  toolUse,
} from '../message-events.ts';

describe('the usage of an Anthropic stream', () => {
  const usageOf = (start: object | null, ...deltas: readonly (object | null)[]) =>
    runEvents([
      { type: 'message_start', message: { id: 'msg_1', model: 'm', usage: start } },
      ...block(0, textBlock, [text('Hi')]),
      ...deltas.map((usage, index) => messageDelta(index === deltas.length - 1 ? 'end_turn' : null, usage)),
    ]).usage;
  const counts = (promptTokens: number, completionTokens: number, extra: object = {}) => ({
    ...noUsage,
    promptTokens,
    completionTokens,
    ...extra,
  });

  test('includes new tokens, cache writes and cache reads in the prompt', () => {
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

  test('is cumulative, so the last counts apply, including those of the input', () => {
    expect(
      usageOf({ input_tokens: 0, output_tokens: 1 }, { output_tokens: 4 }, { input_tokens: 700, output_tokens: 9 }),
    ).toEqual(counts(700, 9));
    const revised = { input_tokens: 10, cache_read_input_tokens: 90, output_tokens: 9 };
    expect(usageOf({ input_tokens: 100, output_tokens: 1 }, revised)).toEqual(
      counts(100, 9, { cachedPromptTokens: 90 }),
    );
  });

  test('keeps the earlier value for null and absurd counts, while 0 is zero', () => {
    expect(usageOf({ input_tokens: 12 }, { input_tokens: null, output_tokens: 9 })).toEqual(counts(12, 9));
    expect(usageOf({ input_tokens: 12 }, { output_tokens: 0 })).toEqual(counts(12, 0));
    expect(usageOf({ input_tokens: 12 }, { input_tokens: -5, output_tokens: 9 })).toEqual(counts(12, 9));
    expect(usageOf({ input_tokens: 12 }, { output_tokens: 1e12 })).toBeNull();
    expect(usageOf({ input_tokens: 12 }, { output_tokens: '9' })).toBeNull();
    expect(usageOf(null, { output_tokens: 9 })).toBeNull();
    expect(usageOf({ input_tokens: 12, output_tokens: 30 }, null)).toBeNull();
  });

  test('adds up the parts of cache writes if their total is missing', () => {
    const parts = { cache_creation: { ephemeral_5m_input_tokens: 20, ephemeral_1h_input_tokens: 30 } };
    expect(usageOf({ input_tokens: 1, ...parts }, { output_tokens: 9 })).toEqual(
      counts(51, 9, { cacheWriteTokens: 50, cacheWrite1hTokens: 30 }),
    );
  });
});

test('text, thinking and arguments count as delivered output, and signatures do not', () => {
  const delivered = (...blocks: readonly ProviderEventObject[][]) => runEvents(response(...blocks)).deliveredTokens;
  expect(delivered(block(0, textBlock, [text('Hi'), text(' you')]))).toBe(2);
  expect(delivered(block(0, thinkingBlock, [thinking('x'.repeat(600)), signature('y'.repeat(600))]))).toBe(75);
  expect(delivered(block(0, toolUse('a', 'f'), [json('{"x":1}')]))).toBe(6);
  expect(delivered()).toBe(0);
});
