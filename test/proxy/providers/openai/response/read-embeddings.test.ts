/** Vectors are in the order of the inputs, in the format that the client requested. */
import { describe, expect, test } from 'bun:test';
import { readTexts } from '../../../../../proxy/nouns/requests/token-ids.ts';
import { noUsage } from '../../../../../proxy/nouns/usage.ts';
import { readEmbeddings } from '../../../../../proxy/providers/openai/response/read-embeddings.ts';
import { openaiSchemasMissing, schemaProblems } from '../../../../harness/openapi/openai-schemas.ts';
import { testCall, testDeployment } from '../calls.ts';

const charge = {
  usage: { ...noUsage, promptTokens: 7 },
  costUsd: '0.000000123',
};
const floats = (text: string) => [...new Float32Array(Uint8Array.from(Buffer.from(text, 'base64')).buffer)];

function read(response: object, body: Record<string, unknown> = { input: ['a', 'b'] }) {
  const read = readEmbeddings(
    JSON.stringify(response),
    testCall({ body, prompts: readTexts(body.input as string[]).count }),
    testDeployment,
  );
  return { ...read, response: JSON.parse(read.render(charge)) };
}

test('the numbers of embeddings stay unchanged, and the members around them are added', () => {
  const { response, usage } = read({ data: [{ embedding: [0.1, -2e-7] }, { embedding: [3, 4] }] });
  expect(response).toEqual({
    object: 'list',
    data: [
      { object: 'embedding', index: 0, embedding: [0.1, -2e-7] },
      { object: 'embedding', index: 1, embedding: [3, 4] },
    ],
    model: 'test/model',
    usage: { prompt_tokens: 7, total_tokens: 7, cost: 0.000000123 },
  });
  expect(usage).toBeNull();
  if (!openaiSchemasMissing) expect(schemaProblems('CreateEmbeddingResponse', response)).toEqual([]);
});

test.each([
  ['only the total', { total_tokens: 9 }],
  ['the prompt alone', { prompt_tokens: 9 }],
  ['null for what was generated', { prompt_tokens: null, completion_tokens: null, total_tokens: 9 }],
  ['both', { prompt_tokens: 9, total_tokens: 9 }],
])('the prompt is charged as reported where the usage has %s', (_, reported) => {
  const { usage } = read({ data: [{ embedding: [1] }], usage: reported }, { input: 'a' });
  expect(usage).toEqual({ ...noUsage, promptTokens: 9 });
});

test('a client that requests base64 gets little-endian 32-bit floats', () => {
  const { response } = read(
    { data: [{ index: 0, embedding: [0.5, -1.25] }] },
    { input: 'a', encoding_format: 'base64' },
  );
  expect(response.data[0].embedding).toBe('AAAAPwAAoL8=');
  expect(floats(response.data[0].embedding)).toEqual([0.5, -1.25]);
});

test('base64 from a provider is accepted', () => {
  const { response } = read({ data: [{ index: 0, embedding: 'AAAAPwAAoL8=' }] }, { input: [1, 2, 3] });
  expect(response.data[0].embedding).toEqual([0.5, -1.25]);
});

test('vectors are sorted by index if each has its own, and otherwise keep their order', () => {
  const vectors = (indices: unknown[]) => ({ data: indices.map((index, at) => ({ index, embedding: [at] })) });
  const order = (indices: unknown[]) =>
    read(vectors(indices)).response.data.map((item: { embedding: number[] }) => item.embedding[0]);
  expect(order([1, 0])).toEqual([1, 0]);
  expect(order([0, 0])).toEqual([0, 1]);
  expect(order([null, 1])).toEqual([0, 1]);
});

test('the usage of embeddings is read without output tokens', () => {
  const { usage } = read({
    data: [{ embedding: [1] }, { embedding: [2] }],
    usage: { prompt_tokens: 7, total_tokens: 7 },
  });
  expect(usage).toMatchObject({ promptTokens: 7, completionTokens: 0 });
});

describe('an invalid list of embeddings', () => {
  test.each([
    [{}],
    [{ data: [{ embedding: [1] }] }],
    [{ data: [{ embedding: [1] }, { embedding: [] }] }],
    [{ data: [{ embedding: [1] }, { embedding: ['1'] }] }],
    [{ data: [{ embedding: [1] }, { embedding: 'abc' }] }],
    [{ data: [{ embedding: [1] }, {}] }],
  ])('is refused: %j', (response) => {
    expect(() => read(response)).toThrow(expect.objectContaining({ reason: 'malformed' }));
  });
});
