/** The models that the demo provider offers, and their limits. */
import type { ModelKind } from '../../shared/catalogue/model-kinds.ts';
import { RequestError } from './errors.ts';
import type { JsonObject } from './fields.ts';

export const contextTokens = 32_768;
export const outputTokensMax = 2_048;
export const embeddingTokensMax = 8_191;
export const embeddingDimensions = 1_536;

const models: Readonly<Record<string, ModelKind>> = {
  'demo-chat': 'chat',
  'demo-completion': 'completion',
  'demo-embedding': 'embedding',
  'demo-image': 'image',
  'demo-speech': 'speech',
  'demo-transcription': 'transcription',
  'demo-moderation': 'moderation',
  'demo-rerank': 'rerank',
};
/** 1 January 2026. The date does not matter, but the field is required. */
const createdAt = 1_767_225_600;

export function listModels(): Response {
  const data = Object.keys(models).map((id) => ({ id, object: 'model', created: createdAt, owned_by: 'demo' }));
  return Response.json({ object: 'list', data });
}

/** The request's model, which must exist and be of the kind that the endpoint serves. */
export function requireModel(body: JsonObject, kind: ModelKind): string {
  const id = body.model;
  if (typeof id !== 'string' || id === '') throw new RequestError("'model' is missing.", { param: 'model' });
  const notFound = { status: 404, code: 'model_not_found', param: 'model' };
  const actual = models[id];
  if (actual === undefined) throw new RequestError(`The model '${id}' does not exist.`, notFound);
  if (actual !== kind) throw new RequestError(`'${id}' is not a ${kind} model.`, notFound);
  return id;
}

/** How many tokens the model may generate after the prompt. */
export function outputBudget(promptTokens: number, wanted: number | undefined): number {
  if (promptTokens >= contextTokens) {
    const message = `The prompt does not fit into the model's context of ${contextTokens} tokens.`;
    throw new RequestError(message, { code: 'context_length_exceeded' });
  }
  return Math.min(wanted ?? outputTokensMax, outputTokensMax, contextTokens - promptTokens);
}
