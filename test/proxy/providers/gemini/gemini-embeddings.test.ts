/** Gemini's embeddings: one vector per input, in order, in the encoding that the client requests. */
import { describe, expect, test } from 'bun:test';
import { noUsage } from '../../../../proxy/nouns/usage.ts';
import { GatewayError } from '../../../../shared/errors.ts';
import { openaiSchemasMissing, schemaProblems } from '../../../harness/openapi/openai-schemas.ts';
import { parseEmbedding } from '../../api/parse.ts';
import { embedding, targetOf } from './chat-call.ts';

const callOf = (body: object) => parseEmbedding(JSON.stringify({ model: 'test/gemini-embedding', ...body }));
const target = targetOf('gemini-embedding-001');

function read(response: unknown, body: object = { input: 'a' }) {
  const { usage, render } = embedding.readBody(JSON.stringify(response), callOf(body), target.deployment);
  return { usage, list: JSON.parse(render({ usage: usage ?? noUsage, costUsd: '0.5' })) };
}

describe('a Gemini embeddings request', () => {
  test('has one part per input, with the requested dimensions', () => {
    const request = embedding.buildRequest(callOf({ input: ['a', 'b'], dimensions: 256 }), target);
    expect(request.url).toBe('http://127.0.0.1:1/v1beta/models/gemini-embedding-001:batchEmbedContents');
    const one = (text: string) => ({
      model: 'models/gemini-embedding-001',
      content: { parts: [{ text }] },
      outputDimensionality: 256,
    });
    expect(JSON.parse(String(request.body))).toEqual({ requests: [one('a'), one('b')] });
    const single = JSON.parse(String(embedding.buildRequest(callOf({ input: 'a' }), target).body));
    expect(single.requests).toEqual([{ model: 'models/gemini-embedding-001', content: { parts: [{ text: 'a' }] } }]);
  });

  test('cannot have token ids', () => {
    for (const input of [
      [1, 2],
      [[1, 2], [3]],
    ]) {
      const build = () => embedding.buildRequest(callOf({ input }), target);
      expect(build).toThrow(GatewayError);
      expect(build).toThrow('does not support token ids');
    }
  });
});

describe('a Gemini embeddings response', () => {
  const vectors = { embeddings: [{ values: [0.5, -1] }, { values: [2, 0.25] }] };

  test('is a list of numbers, or of little-endian float32 in base64', () => {
    const { list, usage } = read(vectors, { input: ['a', 'b'] });
    if (!openaiSchemasMissing) expect(schemaProblems('CreateEmbeddingResponse', list)).toEqual([]);
    expect(list).toMatchObject({
      object: 'list',
      model: 'test/gemini-embedding',
      data: [
        { object: 'embedding', index: 0, embedding: [0.5, -1] },
        { object: 'embedding', index: 1, embedding: [2, 0.25] },
      ],
    });
    expect(usage).toBeNull();
    const encoded = read(vectors, { input: ['a', 'b'], encoding_format: 'base64' }).list.data[0].embedding;
    expect([...new Float32Array(Uint8Array.from(atob(encoded), (byte) => byte.charCodeAt(0)).buffer)]).toEqual([
      0.5, -1,
    ]);
  });

  test('has usage if the provider reports it', () => {
    const response = { embeddings: [{ values: [1] }], usageMetadata: { promptTokenCount: 7 } };
    expect(read(response).usage).toMatchObject({ promptTokens: 7, completionTokens: 0 });
    expect(read({ ...response, usageMetadata: { promptTokenCount: -7 } }).usage).toBeNull();
  });

  test('a Gemini embeddings response without one vector of numbers per input is a failure of the provider', () => {
    for (const response of [
      {},
      { embeddings: [] },
      { embeddings: [{ values: [] }] },
      { embeddings: [{ values: ['x'] }] },
      { embeddings: [null] },
      { error: { message: 'inside a 200' } },
    ]) {
      expect(() => read(response)).toThrow();
    }
    expect(() => read(vectors, { input: ['a', 'b', 'c'] })).toThrow('2 embeddings for 3 inputs');
  });
});
