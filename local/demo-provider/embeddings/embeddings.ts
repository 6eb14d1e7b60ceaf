/** `POST /v1/embeddings`: unit vectors as numbers or as base64 of little-endian 32-bit floats. */
import { isObject } from '../../../shared/members.ts';
import { RequestError } from '../errors.ts';
import { integerField, type JsonObject } from '../fields.ts';
import { embeddingDimensions, embeddingTokensMax, requireModel } from '../models.ts';
import { readTextInputs, type TextInput } from '../text-inputs.ts';
import { vectorOf } from './vector.ts';

const inputsMax = 2_048;

export function embed(body: unknown): Response {
  if (!isObject(body)) throw new RequestError('The body must be a JSON object.');
  const model = requireModel(body, 'embedding');
  const inputs = readTextInputs(body, 'input', inputsMax);
  refuseTooLong(inputs);
  const promptTokens = inputs.reduce((sum, { tokens }) => sum + tokens, 0);
  const dimensions = integerField(body, 'dimensions', { min: 1, max: embeddingDimensions }) ?? embeddingDimensions;
  const encode = readEncoding(body) === 'base64' ? toBase64 : (vector: Float32Array) => [...vector];
  const data = inputs.map(({ text }, index) => {
    return { object: 'embedding', index, embedding: encode(vectorOf(text, dimensions)) };
  });
  const usage = { prompt_tokens: promptTokens, total_tokens: promptTokens };
  return Response.json({ object: 'list', data, model, usage });
}

function refuseTooLong(inputs: readonly TextInput[]): void {
  const index = inputs.findIndex(({ tokens }) => tokens > embeddingTokensMax);
  if (index === -1) return;
  const message = `Input ${index} has more than ${embeddingTokensMax} tokens.`;
  throw new RequestError(message, { code: 'context_length_exceeded', param: 'input' });
}

function readEncoding(body: JsonObject): 'float' | 'base64' {
  const encoding = body.encoding_format ?? 'float';
  if (encoding === 'float' || encoding === 'base64') return encoding;
  throw new RequestError("'encoding_format' must be float or base64.", { param: 'encoding_format' });
}

/** Every machine that this runs on is little-endian, so the memory is already in the right order. */
function toBase64(vector: Float32Array): string {
  return Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString('base64');
}
