/** POST /v1/embeddings: which bodies are accepted. */
import { expect, test } from 'bun:test';
import { parseEmbedding } from '../parse.ts';
import { refusalOf } from '../refusal-of.ts';

const parse = (body: object) => parseEmbedding(JSON.stringify({ model: 'm', input: 'Hello', ...body }));
const refusal = (body: object) => refusalOf(() => parse(body));
const several = (count: number, item: unknown) => Array.from({ length: count }, () => item);

test.each([
  [{ input: 'a' }, { promptTexts: ['a'], promptTokenIds: 0 }],
  [{ input: ['a', 'b'] }, { promptTexts: ['a', 'b'] }],
  [{ input: [1, 2, 3] }, { promptTexts: [], promptTokenIds: 3 }],
  [{ input: [[1, 2], [3]] }, { promptTokenIds: 3 }],
  [
    { encoding_format: 'base64', dimensions: 256, user: 'u', input_type: 'query' },
    { kind: 'embedding', stream: false, prompts: 1 },
  ],
  [
    { encoding_format: null, dimensions: null },
    { prompts: 1, mediaParts: 0 },
  ],
  // This endpoint never streams.
  [{ stream: true }, { stream: false }],
])('the embeddings request %j is accepted', (body, expected) => {
  expect(parse(body)).toMatchObject(expected as object);
});

test('up to 2,048 inputs are accepted, and any number of tokens', () => {
  expect(parse({ input: several(2_048, 'a') }).promptTexts).toHaveLength(2_048);
  expect(parse({ input: several(8_000, 7) }).promptTokenIds).toBe(8_000);
  expect(refusal({ input: several(2_049, 'a') })).toEqual(['invalid_parameter', 'input']);
  expect(refusal({ input: several(2_049, [1]) })).toEqual(['invalid_parameter', 'input']);
});

test.each([
  [{ input: undefined }, ['missing_parameter', 'input']],
  [{ model: undefined }, ['missing_parameter', 'model']],
  [{ model: '' }, ['invalid_parameter', 'model']],
  [{ input: '' }, ['invalid_parameter', 'input']],
  [{ input: [] }, ['invalid_parameter', 'input']],
  [{ input: ['a', ''] }, ['invalid_parameter', 'input']],
  [{ input: [[1], []] }, ['invalid_parameter', 'input']],
  [{ input: ['a', 1] }, ['invalid_parameter', 'input']],
  [{ input: { text: 'a' } }, ['invalid_parameter', 'input']],
  [{ input: null }, ['invalid_parameter', 'input']],
  [{ encoding_format: 'int8' }, ['invalid_parameter', 'encoding_format']],
  [{ dimensions: 0 }, ['invalid_parameter', 'dimensions']],
  [{ dimensions: 1.5 }, ['invalid_parameter', 'dimensions']],
  [{ user: 1 }, ['invalid_parameter', 'user']],
])('the embeddings request %j is refused', (body, expected) => {
  expect(refusal(body)).toEqual(expected);
});
