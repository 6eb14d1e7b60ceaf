/**
 * What Gemini answers, whole or in a chunk, read tolerantly: a part that is not understood is passed over, so that
 * nothing new in an answer can cost it. Throws only where there is no answer at all.
 */
import type { FinishReason } from '../../dialects/chat-completion.ts';
import type { Usage } from '../../metering/usage.ts';
import { UpstreamFailure } from '../../upstream/upstream-failure.ts';
import { type Piece, pieceOf } from './answer-piece.ts';
import { readErrorStatus } from './error-status.ts';
import { finishReasonOf } from './finish-reason.ts';
import { isJsonObject, type JsonObject, objectOf, objectsOf, textOf } from './json-value.ts';
import { logprobsOf } from './logprobs.ts';
import { readUsageMetadata } from './usage-metadata.ts';

export interface GeminiAnswer {
  readonly id: string | undefined;
  readonly model: string | undefined;
  readonly candidates: readonly Candidate[];
  /** Null where the answer has none. */
  readonly usage: Usage | null;
  /** The model ended in a way that leaves no answer. */
  readonly failure: UpstreamFailure | undefined;
}

export interface Candidate {
  readonly index: number;
  readonly pieces: readonly Piece[];
  readonly finishReason: FinishReason | undefined;
  readonly logprobs: JsonObject | null;
}

/** Throws UpstreamFailure where the text is no answer, or is an error. */
export function readAnswer(text: string): GeminiAnswer {
  const value = parse(text);
  const status = readErrorStatus(value);
  if (status !== undefined) {
    throw new UpstreamFailure('refused', status.message ?? 'The provider reported an error.');
  }
  if (!isJsonObject(value)) throw new UpstreamFailure('malformed', 'The provider answered something unreadable.');
  const candidates = objectsOf(value.candidates);
  const blockReason = textOf(objectOf(value.promptFeedback).blockReason);
  return {
    id: textOf(value.responseId),
    model: textOf(value.modelVersion),
    candidates: candidates.length === 0 && blockReason !== undefined ? [blockedPrompt] : candidates.map(readCandidate),
    usage: readUsageMetadata(value.usageMetadata),
    failure: failureOf(candidates),
  };
}

const blockedPrompt: Candidate = { index: 0, pieces: [], finishReason: 'content_filter', logprobs: null };

function readCandidate(candidate: JsonObject): Candidate {
  const { index, content, logprobsResult } = candidate;
  const finish = finishReasonOf(textOf(candidate.finishReason));
  return {
    // The API leaves out an index of 0.
    index: typeof index === 'number' && Number.isInteger(index) && index >= 0 ? index : 0,
    pieces: objectsOf(objectOf(content).parts).flatMap((part) => pieceOf(part) ?? []),
    finishReason: finish === 'failed' ? undefined : finish,
    logprobs: logprobsOf(logprobsResult),
  };
}

function failureOf(candidates: readonly JsonObject[]): UpstreamFailure | undefined {
  const reason = candidates
    .map((candidate) => textOf(candidate.finishReason))
    .find((finishReason) => finishReasonOf(finishReason) === 'failed');
  return reason === undefined
    ? undefined
    : new UpstreamFailure('refused', `The model ended its answer with ${reason}.`);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new UpstreamFailure('malformed', 'The provider answered something that is not JSON.', { cause });
  }
}
