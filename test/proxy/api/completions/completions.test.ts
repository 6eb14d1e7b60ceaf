/** POST /v1/completions: which bodies are accepted, and how many continuations they generate. */
import { describe, expect, test } from 'bun:test';
import { parseCompletion } from '../parse.ts';
import { refusalOf } from '../refusal-of.ts';

const parse = (body: object) => parseCompletion(JSON.stringify({ model: 'm', prompt: 'Hello', ...body }));
const refusal = (body: object) => refusalOf(() => parse(body));

describe('the number of continuations', () => {
  test.each([
    [{ prompt: 'a' }, { n: 1, choices: 1, promptTexts: ['a'], promptTokenIds: 0 }],
    [{ prompt: '' }, { choices: 1, promptTexts: [''] }],
    [{ prompt: ['a', 'b', 'c'] }, { n: 1, choices: 3, promptTexts: ['a', 'b', 'c'] }],
    [
      { prompt: ['a', 'b'], n: 3 },
      { n: 3, choices: 6 },
    ],
    [
      { prompt: ['a', 'b'], n: 2, best_of: 5 },
      { n: 2, choices: 10 },
    ],
    [{ prompt: [1, 2, 3] }, { choices: 1, promptTexts: [], promptTokenIds: 3 }],
    [
      { prompt: [[1, 2], [3]], n: 2 },
      { choices: 4, promptTokenIds: 3 },
    ],
    [
      { prompt: 'a', n: null, best_of: null },
      { n: 1, choices: 1 },
    ],
    [{ prompt: 'a', n: 2, best_of: 2, stream: true }, { choices: 2 }],
  ])('the completion %j has the number of continuations that n and best_of request', (body, expected) => {
    expect(parse(body)).toMatchObject(expected as object);
  });
});

test('all parameters of a text completion are accepted, and others are passed on', () => {
  const body = {
    max_tokens: 7,
    temperature: 2,
    top_p: 0,
    frequency_penalty: -2,
    presence_penalty: 2,
    stop: ['a', 'b', 'c', 'd'],
    logprobs: 5,
    echo: true,
    suffix: '.',
    seed: 1,
    user: 'u',
    logit_bias: { '1': 1 },
    stream: true,
    stream_options: { include_usage: true },
    top_k: 3,
  };
  const call = parse(body);
  expect(call).toMatchObject({ outputCap: 7, stream: true, includeUsage: true, mediaParts: 0 });
  expect(JSON.parse(String(call.text))).toMatchObject(body);
  expect(parse({ max_tokens: 0 }).outputCap).toBe(0);
  expect(parse({ max_tokens: null }).outputCap).toBeUndefined();
});

test.each([
  [{ prompt: undefined }, ['missing_parameter', 'prompt']],
  [{ model: undefined }, ['missing_parameter', 'model']],
  [{ prompt: 7 }, ['invalid_parameter', 'prompt']],
  [{ prompt: null }, ['invalid_parameter', 'prompt']],
  [{ prompt: [] }, ['invalid_parameter', 'prompt']],
  [{ prompt: ['a', 1] }, ['invalid_parameter', 'prompt']],
  [{ prompt: [[]] }, ['invalid_parameter', 'prompt']],
  [{ prompt: [-1] }, ['invalid_parameter', 'prompt']],
  [{ prompt: [1.5] }, ['invalid_parameter', 'prompt']],
  [{ max_tokens: -1 }, ['invalid_parameter', 'max_tokens']],
  [{ n: 0 }, ['invalid_parameter', 'n']],
  [{ n: 3, best_of: 2 }, ['invalid_parameter', 'best_of']],
  [{ n: 1, best_of: 2, stream: true }, ['invalid_parameter', 'best_of']],
  [{ temperature: 2.1 }, ['invalid_parameter', 'temperature']],
  [{ top_p: -0.1 }, ['invalid_parameter', 'top_p']],
  [{ presence_penalty: 3 }, ['invalid_parameter', 'presence_penalty']],
  [{ stop: ['a', 'b', 'c', 'd', 'e'] }, ['invalid_parameter', 'stop']],
  [{ logprobs: 6 }, ['invalid_parameter', 'logprobs']],
  [{ echo: 'yes' }, ['invalid_parameter', 'echo']],
  [{ suffix: 1 }, ['invalid_parameter', 'suffix']],
  [{ stream: 'true' }, ['invalid_parameter', 'stream']],
])('the text completion %j is refused', (body, expected) => {
  expect(refusal(body)).toEqual(expected);
});
