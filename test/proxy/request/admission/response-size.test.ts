/** No request can ask for a response that is larger than the limit for providers' responses. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { readCompletion } from '../../../../proxy/api/completions/completions.ts';
import { responseMaxBytes } from '../../../../proxy/nouns/limits.ts';
import { checkVectors, largestCapOf } from '../../../../proxy/request/planning/response-size.ts';
import type { GatewayError } from '../../../../shared/errors.ts';
import { parseChatCompletion, parseEmbedding } from '../../api/parse.ts';

const modelCap = 128_000;
const messages = [{ role: 'user', content: 'Hello?' }];
const chat = (body: object) => parseChatCompletion(JSON.stringify({ model: 'm', messages, ...body }));
const completion = (body: object) => {
  const value = { model: 'm', prompt: 'Hello?', ...body };
  return readCompletion(value, JSON.stringify(value));
};

/** The cap that is granted, or the parameter that is refused. */
function outcomeOf(call: Parameters<typeof largestCapOf>[0]): number | string | null | undefined {
  try {
    return largestCapOf(call, modelCap);
  } catch (error) {
    const { code, param } = error as GatewayError;
    expect(code).toBe('invalid_parameter');
    return param;
  }
}

test('a request of ordinary size keeps its cap', () => {
  const bodies = [
    {},
    { max_tokens: modelCap },
    { n: 8 },
    { n: 8, max_tokens: 128_000 },
    { n: 128, max_tokens: 4_096 },
    { logprobs: true, max_tokens: modelCap },
    { logprobs: true, top_logprobs: 5, max_tokens: 32_000 },
    { logprobs: true, top_logprobs: 20, max_tokens: 16_384 },
    { logprobs: false, top_logprobs: 20, n: 8 },
  ];
  for (const body of bodies) {
    const granted = outcomeOf(chat(body));
    expect(granted).toBeNumber();
    expect(granted).toBeGreaterThanOrEqual(Object(body).max_tokens ?? 1);
  }
  for (const body of [
    {},
    { max_tokens: 16, n: 128 },
    { echo: true, logprobs: 5 },
    { prompt: Array(2_048).fill('a') },
  ]) {
    expect(outcomeOf(completion({ max_tokens: 16, ...body }))).toBeNumber();
  }
});

test.each([
  ['n', { n: 128, max_tokens: modelCap }],
  ['top_logprobs', { n: 128, logprobs: true, top_logprobs: 20, max_tokens: 2_048 }],
  ['top_logprobs', { n: 128, logprobs: true, top_logprobs: 20 }],
  ['top_logprobs', { logprobs: true, top_logprobs: 20, max_completion_tokens: modelCap }],
  ['logprobs', { n: 16, logprobs: true, max_tokens: modelCap }],
])('%s is refused in the chat request %j', (param, body) => {
  expect(outcomeOf(chat(body))).toBe(param);
  expect(outcomeOf(chat({ ...body, stream: true }))).toBe(modelCap);
});

test.each([
  ['n', { n: 128, max_tokens: modelCap }],
  ['logprobs', { n: 128, logprobs: 5, max_tokens: modelCap }],
  ['prompt', { prompt: Array(2_048).fill('a'), max_tokens: 2_048 }],
  ['n', { prompt: 'a'.repeat(2_000_000), n: 128, echo: true, max_tokens: 1 }],
  ['logprobs', { prompt: 'a'.repeat(2_000_000), n: 1, echo: true, logprobs: 5, max_tokens: 1 }],
])('%s is refused in a text completion', (param, body) => {
  expect(outcomeOf(completion(body))).toBe(param);
});

test('a request without a cap gets the largest one that fits', () => {
  const granted = Number(outcomeOf(chat({ logprobs: true, top_logprobs: 20 })));
  expect(granted).toBeWithin(16_384, modelCap);
  expect(outcomeOf(chat({ logprobs: true, top_logprobs: 20, max_tokens: granted }))).toBe(granted);
  expect(outcomeOf(chat({ logprobs: true, top_logprobs: 20, max_tokens: granted + 1 }))).toBe('top_logprobs');
});

test('a response of the granted size, as providers write it, fits', () => {
  const entry = { token: ' token', logprob: -0.123456789, bytes: [32, 116, 111, 107, 101, 110] };
  for (const alternatives of [0, 5, 20]) {
    const granted = Number(outcomeOf(chat({ logprobs: true, top_logprobs: alternatives })));
    const logprobs = { ...entry, top_logprobs: Array(alternatives).fill(entry) };
    expect(granted * (JSON.stringify(logprobs).length + ' token,'.length)).toBeLessThan(responseMaxBytes);
  }
});

describe('vectors', () => {
  const parse = (body: object) => parseEmbedding(JSON.stringify({ model: 'm', ...body }));
  const modelOf = (protocol: string, dimensions?: number) =>
    ({ dimensions, deployments: [{ provider: { protocol } }] }) as unknown as Parameters<typeof checkVectors>[0];
  const isAccepted = (model: ReturnType<typeof modelOf>, body: object) => {
    try {
      checkVectors(model, parse(body));
      return true;
    } catch (error) {
      const { code, param } = error as GatewayError;
      expect([code, param]).toEqual(['invalid_parameter', 'input']);
      return false;
    }
  };
  const openai = modelOf('openai', 3_072);

  test('vectors of all inputs that can be sent fit in base64, and those of ordinary size as numbers', () => {
    const input = Array(2_048).fill('a');
    expect(isAccepted(openai, { input, encoding_format: 'base64' })).toBe(true);
    expect(isAccepted(modelOf('openai', 768), { input })).toBe(true);
    expect(isAccepted(openai, { input, dimensions: 256 })).toBe(true);
    expect(isAccepted(modelOf('openai'), { input: input.slice(0, 480) })).toBe(true);
    expect(isAccepted(openai, { input })).toBe(false);
    expect(isAccepted(modelOf('gemini', 3_072), { input, encoding_format: 'base64' })).toBe(false);
  });

  test('vectors that are accepted fit, however the provider writes them', () => {
    const component = fc.double({ noNaN: true, noDefaultInfinity: true, min: -1, max: 1 });
    const shape = fc.record({
      inputs: fc.integer({ min: 1, max: 2_048 }),
      dimensions: fc.constantFrom(1, 256, 768, 1_024, 1_536, 3_072, 4_096, 8_192),
      isEncoded: fc.boolean(),
      isGemini: fc.boolean(),
      component,
    });
    fc.assert(
      fc.property(shape, ({ inputs, dimensions, isEncoded, isGemini, component }) => {
        const model = modelOf(isGemini ? 'gemini' : 'openai', dimensions);
        const encoding = isEncoded ? { encoding_format: 'base64' } : {};
        if (!isAccepted(model, { input: Array(inputs).fill('a'), ...encoding })) return;
        const base64 = 'A'.repeat(Math.ceil((dimensions * 4) / 3) * 4);
        const vector = isEncoded && !isGemini ? base64 : Array(dimensions).fill(component);
        const one = JSON.stringify({ object: 'embedding', index: inputs, embedding: vector }, null, 2);
        expect(one.length * inputs).toBeLessThanOrEqual(responseMaxBytes);
      }),
    );
  });
});
