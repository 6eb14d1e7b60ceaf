/**
 * Reads a Gemini response, whole or in chunks, tolerantly: unknown parts are ignored, so that new ones cannot break an
 * response.
 */
import { isObject } from '../../../../shared/members.ts';
import type { FinishReason } from '../../../nouns/chat-completion.ts';
import { asArray, asIndex, asRecord, asText, type JsonRecord } from '../../../nouns/json/record.ts';
import { UpstreamFailure } from '../../../nouns/upstream-failure.ts';
import type { Usage } from '../../../nouns/usage.ts';
import { type ContentPart, contentPartOf } from './content-part.ts';
import { failureInside, readErrorStatus } from './error-status.ts';
import { finishReasonOf } from './finish-reason.ts';
import { logprobsOf } from './logprobs.ts';
import { readUsageMetadata } from './usage-metadata.ts';

export interface GeminiResponse {
  readonly id: string | undefined;
  readonly candidates: readonly Candidate[];
  /** Null if the response has none. */
  readonly usage: Usage | null;
  /** Set if the model ended without a usable response. */
  readonly failure: UpstreamFailure | undefined;
}

export interface Candidate {
  readonly index: number;
  readonly parts: readonly ContentPart[];
  readonly finishReason: FinishReason | undefined;
  readonly logprobs: JsonRecord | null;
}

/** Throws UpstreamFailure if the text is unreadable, or an error. */
export function readResponse(text: string): GeminiResponse {
  const value = readResponseObject(text);
  const candidates = asArray(value.candidates).filter(isObject);
  const blockReason = asText(asRecord(value.promptFeedback).blockReason);
  return {
    id: asText(value.responseId),
    candidates: candidates.length === 0 && blockReason !== undefined ? [blockedPrompt] : candidates.map(readCandidate),
    usage: readUsageMetadata(value.usageMetadata),
    failure: failureOf(candidates),
  };
}

const blockedPrompt: Candidate = { index: 0, parts: [], finishReason: 'content_filter', logprobs: null };

function readCandidate(candidate: JsonRecord): Candidate {
  const { index, content, logprobsResult } = candidate;
  const finish = finishReasonOf(asText(candidate.finishReason));
  return {
    // The API omits an index of 0.
    index: asIndex(index) ?? 0,
    parts: asArray(asRecord(content).parts)
      .filter(isObject)
      .flatMap((part) => contentPartOf(part) ?? []),
    finishReason: finish === 'failed' ? undefined : finish,
    logprobs: logprobsOf(logprobsResult),
  };
}

function failureOf(candidates: readonly JsonRecord[]): UpstreamFailure | undefined {
  const reason = candidates
    .map((candidate) => asText(candidate.finishReason))
    .find((finishReason) => finishReasonOf(finishReason) === 'failed');
  return reason === undefined ? undefined : new UpstreamFailure('refused', `The model stopped with ${reason}.`);
}

/** Throws UpstreamFailure as `readResponse` does. */
export function readResponseObject(text: string): JsonRecord {
  const value = parse(text);
  const status = readErrorStatus(value);
  if (status !== undefined) throw failureInside(status);
  if (!isObject(value)) throw new UpstreamFailure('malformed', 'The provider returned an unreadable response.');
  return value;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new UpstreamFailure('malformed', 'The provider returned a response that is not JSON.', { cause });
  }
}
