/** The generation config: parameters that Gemini does not support are refused by name. */
import { describe, expect, test } from 'bun:test';
import { refusal, sent, targetOf } from '../chat-call.ts';

describe('the generation config of a Gemini request', () => {
  const config = (body: object, outputCap = 2048) =>
    sent(body, targetOf('gemini-2.5-flash', outputCap)).generationConfig as Record<string, unknown>;
  const always = { maxOutputTokens: 2048, candidateCount: 1 };

  test('renames sampling, stop, seed, penalties and log probabilities', () => {
    expect(
      config({
        ...{ temperature: 1.5, top_p: 0.5, top_k: 40, stop: 'END', seed: 7, n: 2 },
        ...{ presence_penalty: 0.5, frequency_penalty: -0.5, logprobs: true, top_logprobs: 3 },
      }),
    ).toEqual({
      ...always,
      candidateCount: 2,
      ...{ temperature: 1.5, topP: 0.5, topK: 40, stopSequences: ['END'], seed: 7 },
      ...{ presencePenalty: 0.5, frequencyPenalty: -0.5, responseLogprobs: true, logprobs: 3 },
    });
  });

  test('keeps meaningful zeros, and leaves out defaults that models refuse', () => {
    expect(config({ temperature: 0, top_p: 0, top_k: 0, presence_penalty: 0, logprobs: false, stop: [''] })).toEqual({
      ...always,
      temperature: 0,
      topP: 0,
    });
  });

  test('has the same value each time for a seed of more than 32 bits', () => {
    const seed = config({ seed: 2 ** 40 + 5 }).seed;
    expect(seed).toBe(5);
    expect(Math.abs(Number(config({ seed: 4_000_000_000 }).seed))).toBeLessThan(2 ** 31);
  });

  test('requests JSON by its type, and by its schema if there is one', () => {
    expect(config({ response_format: { type: 'text' } })).toEqual(always);
    expect(config({ response_format: { type: 'json_object' } })).toEqual({
      ...always,
      responseMimeType: 'application/json',
    });
    const schema = { type: 'object', properties: { a: { type: ['string', 'null'] } }, additionalProperties: false };
    expect(config({ response_format: { type: 'json_schema', json_schema: { name: 'x', schema } } })).toEqual({
      ...always,
      responseMimeType: 'application/json',
      responseSchema: { type: 'object', properties: { a: { type: 'string', nullable: true } } },
    });
    expect(refusal({ response_format: { type: 'grammar' } }).code).toBe('unsupported_parameter');
  });

  test('has thinking budgets for efforts that leave room for the answer', () => {
    const budget = (body: object, cap = 65_536) => config(body, cap).thinkingConfig;
    expect(budget({})).toBeUndefined();
    expect(budget({ reasoning_effort: 'none' })).toEqual({ thinkingBudget: 0, includeThoughts: false });
    expect(budget({ reasoning_effort: 'low' })).toEqual({ thinkingBudget: 1024, includeThoughts: true });
    expect(budget({ reasoning: { effort: 'medium' } })).toEqual({ thinkingBudget: 8192, includeThoughts: true });
    expect(budget({ reasoning_effort: 'high' })).toEqual({ thinkingBudget: 24_576, includeThoughts: true });
    expect(budget({ reasoning: { max_tokens: 3000 } })).toEqual({ thinkingBudget: 3000, includeThoughts: true });
    expect(budget({ reasoning_effort: 'high' }, 4096)).toEqual({ thinkingBudget: 2048, includeThoughts: true });
    expect(budget({ reasoning_effort: 'high' }, 100)).toEqual({ thinkingBudget: 512, includeThoughts: true });
    expect(refusal({ reasoning_effort: 'heroic' })).toEqual({ code: 'invalid_parameter', param: 'reasoning_effort' });
  });

  test('has levels for efforts if the provider needs them', () => {
    const target = targetOf('gemini-3-flash-preview', 65_536, { reasoningControl: 'effort' });
    const level = (body: object) =>
      (sent(body, target).generationConfig as { thinkingConfig?: unknown }).thinkingConfig;
    expect(level({})).toBeUndefined();
    expect(level({ reasoning_effort: 'none' })).toEqual({ thinkingLevel: 'minimal', includeThoughts: false });
    expect(level({ reasoning_effort: 'low' })).toEqual({ thinkingLevel: 'low', includeThoughts: true });
    expect(level({ reasoning: { effort: 'xhigh' } })).toEqual({ thinkingLevel: 'high', includeThoughts: true });
    expect(level({ reasoning: { max_tokens: 5000 } })).toEqual({ thinkingLevel: 'medium', includeThoughts: true });
  });

  test.each([
    ['gemini-3-flash-preview', ['minimal', 'minimal', 'low', 'medium', 'high']],
    ['gemini-3.1-flash-lite', ['minimal', 'minimal', 'low', 'medium', 'high']],
    ['gemini-3-pro-preview', ['low', 'low', 'low', 'high', 'high']],
    ['gemini-3.1-pro-preview-customtools', ['low', 'low', 'low', 'medium', 'high']],
    ['gemini-10-pro', ['low', 'low', 'low', 'medium', 'high']],
  ])('%s gets the least of its levels that is not below an effort', (model, expected) => {
    const target = targetOf(model, 65_536, { reasoningControl: 'effort' });
    const levels = ['none', 'minimal', 'low', 'medium', 'high'].map((effort) => {
      const { generationConfig } = sent({ reasoning_effort: effort }, target);
      return (generationConfig as { thinkingConfig: { thinkingLevel: string } }).thinkingConfig.thinkingLevel;
    });
    expect(levels).toEqual(expected);
  });

  test('refuses parameters that Gemini does not support by name', () => {
    for (const [param, value] of Object.entries({
      logit_bias: { 50256: -100 },
      modalities: ['text', 'audio'],
      functions: [{ name: 'f' }],
    })) {
      expect(refusal({ [param]: value })).toEqual({ code: 'unsupported_parameter', param });
    }
    expect(config({ logit_bias: {}, modalities: ['text'], functions: null, user: 'me' })).toEqual(always);
  });
});
