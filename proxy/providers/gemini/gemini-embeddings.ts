/** Embeddings with batchEmbedContents: one request per input, and the vectors in the same order. */
import { unsupportedParameter } from '../../../shared/http/parameter-errors.ts';
import { isObject } from '../../../shared/members.ts';
import type { EmbeddingCall } from '../../nouns/call.ts';
import { asArray, asRecord, type JsonRecord } from '../../nouns/json/record.ts';
import { UpstreamFailure } from '../../nouns/upstream-failure.ts';
import { noUsage, readCount, type Usage } from '../../nouns/usage.ts';
import type { PromptSize, UpstreamBody, UpstreamRequest, UpstreamTarget } from '../adapter.ts';
import { embeddingBody } from '../embedding-list.ts';
import { geminiRequest } from './request/build-request.ts';
import { readResponseObject } from './response/read-response.ts';

/** Throws GatewayError `unsupported_parameter` for token ids. */
export function buildEmbeddingRequest(call: EmbeddingCall, target: UpstreamTarget): UpstreamRequest {
  const { dimensions } = call.body;
  const size = typeof dimensions === 'number' ? { outputDimensionality: dimensions } : {};
  const requests = textsOf(call.body.input).map((text) => ({
    model: `models/${target.deployment.model}`,
    content: { parts: [{ text }] },
    ...size,
  }));
  return geminiRequest(target, {
    method: 'batchEmbedContents',
    accept: 'application/json',
    body: JSON.stringify({ requests }),
  });
}

/** Texts are sent unchanged. Throws GatewayError as the request itself does. */
export function measureInputs({ body, bytes }: EmbeddingCall): PromptSize {
  textsOf(body.input);
  return { bytes, hasLongMedia: false };
}

/** Throws UpstreamFailure. */
export function readEmbeddings(text: string, call: EmbeddingCall): UpstreamBody {
  const response = readResponseObject(text);
  const vectors = asArray(response.embeddings).map(vectorOf);
  return embeddingBody({ vectors, usage: usageOf(response) }, call);
}

function textsOf(input: unknown): readonly string[] {
  const texts = typeof input === 'string' ? [input] : asArray(input);
  if (texts.every((text) => typeof text === 'string')) return texts;
  throw unsupportedParameter('input', 'This model does not support token ids. Send text.');
}

function vectorOf(embedding: unknown): readonly number[] {
  const { values } = asRecord(embedding);
  if (Array.isArray(values) && values.length > 0 && values.every((value) => typeof value === 'number')) return values;
  throw new UpstreamFailure('malformed', 'The provider returned a response without embeddings.');
}

/** Most models report none. */
function usageOf({ usageMetadata }: JsonRecord): Usage | null {
  const promptTokens = isObject(usageMetadata) ? readCount(usageMetadata.promptTokenCount) : undefined;
  if (promptTokens === undefined) return null;
  return { ...noUsage, promptTokens };
}
