/** Gemini's token counts, whole and in each event of a stream. */
import { describe, expect, test } from 'bun:test';
import { noUsage } from '../../../../../proxy/nouns/usage.ts';
import { candidate, counts, response, text } from '../made-up-responses.ts';
import { eventsOf, openStream, runStream } from '../run-stream.ts';

const run = (...responses: object[]) => runStream([eventsOf(responses)]);

describe("Gemini's usage", () => {
  const usageOf = (usageMetadata: unknown) =>
    run(response([candidate([], { finishReason: 'STOP' })], { usageMetadata })).usage;

  test('counts thoughts as output, and cached tokens and those that tools add as prompt', () => {
    expect(
      usageOf({
        promptTokenCount: 100,
        cachedContentTokenCount: 60,
        toolUsePromptTokenCount: 7,
        candidatesTokenCount: 20,
        thoughtsTokenCount: 30,
        totalTokenCount: 157,
      }),
    ).toEqual({
      ...noUsage,
      promptTokens: 107,
      cachedPromptTokens: 60,
      completionTokens: 50,
      reasoningTokens: 30,
    });
  });

  test('has zero for a missing count, which the API omits if zero', () => {
    expect(usageOf({ promptTokenCount: 5, totalTokenCount: 5 })).toMatchObject({ completionTokens: 0 });
    expect(usageOf({ promptTokenCount: 5, thoughtsTokenCount: 9, totalTokenCount: 14 })).toMatchObject({
      completionTokens: 9,
      reasoningTokens: 9,
    });
    expect(usageOf({ promptTokenCount: 0, candidatesTokenCount: 0 })).toMatchObject({ promptTokens: 0 });
  });

  test('has no absurd counts', () => {
    for (const promptTokenCount of [-1, 1e15, 1.5, '7', null, undefined]) {
      expect(usageOf({ promptTokenCount, candidatesTokenCount: 1 })).toBeNull();
    }
    expect(usageOf({ promptTokenCount: 5, candidatesTokenCount: -3 })).toBeNull();
    expect(usageOf({ promptTokenCount: 5, candidatesTokenCount: -3, totalTokenCount: 8 })).toMatchObject({
      completionTokens: 3,
    });
    expect(usageOf({ promptTokenCount: 5, cachedContentTokenCount: 50, candidatesTokenCount: 1 })).toMatchObject({
      cachedPromptTokens: 5,
    });
    expect(usageOf(null)).toBeNull();
    expect(usageOf({ promptTokenCount: 5 })).toBeNull();
  });

  test('is that of the last event, even without candidates', () => {
    const later = { usageMetadata: { ...counts, candidatesTokenCount: 9, totalTokenCount: 19 } };
    expect(run(text('a', { finishReason: 'STOP' }), later).usage).toMatchObject({ completionTokens: 9 });
    expect(run(text('a', { finishReason: 'STOP' }), { candidates: [] }).usage).toMatchObject({ completionTokens: 4 });
  });

  test('has no output before the end if the model has none yet', () => {
    const stream = openStream();
    const early = { promptTokenCount: 10, totalTokenCount: 10 };
    stream.push(eventsOf([response([candidate([{ text: 'x'.repeat(600) }])], { usageMetadata: early })]));
    expect(stream.usage).toMatchObject({ promptTokens: 10, completionTokens: 75 });
    stream.push(eventsOf([text('', { finishReason: 'STOP' })]));
    expect(stream.usage).toMatchObject({ promptTokens: 10, completionTokens: 4 });
  });
});
