/**
 * Reads embeddings of an OpenAI-compatible provider. They are requested as numbers, because several providers do not
 * support base64, but base64 is accepted too.
 */
import { isObject } from '../../../../shared/members.ts';
import type { EmbeddingCall } from '../../../nouns/call.ts';
import { asArray, asIndex, type JsonRecord } from '../../../nouns/json/record.ts';
import { UpstreamFailure } from '../../../nouns/upstream-failure.ts';
import { readPromptUsage } from '../../../nouns/usage.ts';
import type { Deployment } from '../../../pricing/catalogue.ts';
import type { UpstreamBody } from '../../adapter.ts';
import { decodeVector, embeddingBody } from '../../embedding-list.ts';
import { readResponseObject } from './read-response-object.ts';

/** Throws UpstreamFailure. */
export function readEmbeddings(text: string, call: EmbeddingCall, deployment: Deployment): UpstreamBody {
  const response = readResponseObject(text);
  const items = asArray(response.data).filter(isObject);
  const usage = readPromptUsage(response.usage, deployment.provider.quirks);
  return embeddingBody({ vectors: inOrder(items).map(vectorOf), usage }, call);
}

/** Sorts by `index` if every item has its own, and keeps the order otherwise. */
function inOrder(items: readonly JsonRecord[]): readonly JsonRecord[] {
  const indices = new Set(items.map(({ index }) => asIndex(index)));
  if (indices.size < items.length || indices.has(undefined)) return items;
  return items.toSorted((one, other) => Number(one.index) - Number(other.index));
}

function vectorOf({ embedding }: JsonRecord): readonly number[] {
  if (typeof embedding === 'string') return decodeVector(embedding) ?? malformed();
  return isVector(embedding) ? embedding : malformed();
}

function isVector(value: unknown): value is number[] {
  return Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === 'number');
}

function malformed(): never {
  throw new UpstreamFailure('malformed', 'The provider returned a response without embeddings.');
}
