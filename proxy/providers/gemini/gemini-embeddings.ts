/**
 * Embeddings with batchEmbedContents: one request per input, and the vectors in the same order. Google takes 100 of them at a
 * time, so more inputs are divided.
 */
import { unsupportedParameter } from '../../../shared/http/parameter-errors.ts';
import { isObject } from '../../../shared/members.ts';
import type { EmbeddingCall } from '../../nouns/call.ts';
import { asArray, asRecord, type JsonRecord } from '../../nouns/json/record.ts';
import { UpstreamFailure } from '../../nouns/upstream-failure.ts';
import { noUsage, readCount, type Usage } from '../../nouns/usage.ts';
import type { Division, PromptSize, UpstreamBody, UpstreamRequest, UpstreamTarget } from '../adapter.ts';
import { embeddingBody } from '../embedding-list.ts';
import { geminiRequest } from './request/build-request.ts';
import { readResponseObject } from './response/read-response.ts';

const inputsMax = 100;

export const embeddingDivision: Division<EmbeddingCall> = {
  countOf: ({ prompts }) => Math.ceil(prompts / inputsMax),
  partOf(call, index) {
    const inputs = asArray(call.body.input).slice(index * inputsMax, (index + 1) * inputsMax);
    return { ...call, body: { ...call.body, input: inputs }, prompts: inputs.length };
  },
  readBodies: readEmbeddings,
};

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
export function readEmbeddings(texts: readonly string[], call: EmbeddingCall): UpstreamBody {
  const responses = texts.map(readResponseObject);
  // What one has too many does not stand for what another lacks.
  const vectors = responses.flatMap(({ embeddings }) => asArray(embeddings).slice(0, inputsMax).map(vectorOf));
  return embeddingBody({ vectors, usage: usageOf(responses) }, call);
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
function usageOf(responses: readonly JsonRecord[]): Usage | null {
  let promptTokens = 0;
  for (const { usageMetadata } of responses) {
    const count = isObject(usageMetadata) ? readCount(usageMetadata.promptTokenCount) : undefined;
    if (count === undefined) return null;
    promptTokens += count;
  }
  return { ...noUsage, promptTokens };
}
