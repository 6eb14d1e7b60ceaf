/**
 * What Gemini answers, whole or in a chunk, read tolerantly: a part that is not understood is passed over, so that
 * nothing new in an answer can cost it. Throws only where there is no answer at all.
 */

import type { FinishReason } from '../../../interfaces/chat-completion.ts';
import { asArray, asIndex, asRecord, asText, isRecord, type JsonRecord } from '../../../json/record.ts';
import type { Usage } from '../../../metering/usage.ts';
import { UpstreamFailure } from '../../../upstream/upstream-failure.ts';
import { type Piece, pieceOf } from './answer-piece.ts';
import { readErrorStatus } from './error-status.ts';
import { finishReasonOf } from './finish-reason.ts';
import { logprobsOf } from './logprobs.ts';
import { readUsageMetadata } from './usage-metadata.ts';

export interface GeminiAnswer {
  readonly id: string | undefined;
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
  readonly logprobs: JsonRecord | null;
}

/** Throws UpstreamFailure where the text is no answer, or is an error. */
export function readAnswer(text: string): GeminiAnswer {
  const value = readAnswerObject(text);
  const candidates = asArray(value.candidates).filter(isRecord);
  const blockReason = asText(asRecord(value.promptFeedback).blockReason);
  return {
    id: asText(value.responseId),
    candidates: candidates.length === 0 && blockReason !== undefined ? [blockedPrompt] : candidates.map(readCandidate),
    usage: readUsageMetadata(value.usageMetadata),
    failure: failureOf(candidates),
  };
}

const blockedPrompt: Candidate = { index: 0, pieces: [], finishReason: 'content_filter', logprobs: null };

function readCandidate(candidate: JsonRecord): Candidate {
  const { index, content, logprobsResult } = candidate;
  const finish = finishReasonOf(asText(candidate.finishReason));
  return {
    // The API leaves out an index of 0.
    index: asIndex(index) ?? 0,
    pieces: asArray(asRecord(content).parts)
      .filter(isRecord)
      .flatMap((part) => pieceOf(part) ?? []),
    finishReason: finish === 'failed' ? undefined : finish,
    logprobs: logprobsOf(logprobsResult),
  };
}

function failureOf(candidates: readonly JsonRecord[]): UpstreamFailure | undefined {
  const reason = candidates
    .map((candidate) => asText(candidate.finishReason))
    .find((finishReason) => finishReasonOf(finishReason) === 'failed');
  return reason === undefined
    ? undefined
    : new UpstreamFailure('refused', `The model ended its answer with ${reason}.`);
}

/** Throws UpstreamFailure as `readAnswer` does. */
export function readAnswerObject(text: string): JsonRecord {
  const value = parse(text);
  const status = readErrorStatus(value);
  if (status !== undefined) {
    throw new UpstreamFailure('refused', status.message ?? 'The provider reported an error.');
  }
  if (!isRecord(value)) throw new UpstreamFailure('malformed', "The provider's response cannot be read.");
  return value;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new UpstreamFailure('malformed', "The provider's response is not JSON.", { cause });
  }
}
