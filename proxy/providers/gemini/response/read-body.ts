/** Translates a whole Gemini response to a chat completion. */
import type { Call } from '../../../nouns/call.ts';
import type { JsonRecord } from '../../../nouns/json/record.ts';
import { UpstreamFailure } from '../../../nouns/upstream-failure.ts';
import { renderUsage } from '../../../pricing/render-usage.ts';
import type { UpstreamBody } from '../../adapter.ts';
import { finishOf, generatedTexts, imageOf, signed, toolCallOf } from './chat-parts.ts';
import type { ContentPart } from './content-part.ts';
import { type Candidate, readResponse } from './read-response.ts';

export function readChatBody(text: string, { model }: Call): UpstreamBody {
  const response = readResponse(text);
  if (response.failure !== undefined) throw response.failure;
  if (response.candidates.length === 0) {
    throw new UpstreamFailure('malformed', 'The provider returned a response without candidates.');
  }
  const completion = JSON.stringify({
    id: response.id ?? `chatcmpl-${crypto.randomUUID()}`,
    object: 'chat.completion',
    created: Math.floor(Date.now() / 1000),
    model,
    choices: distinct(response.candidates).map(choiceOf),
  });
  return {
    usage: response.usage,
    outputTexts: response.candidates.flatMap(({ parts }) => parts.flatMap(generatedTexts)),
    render: (charge) => `${completion.slice(0, -1)},"usage":${renderUsage(charge)}}`,
  };
}

/** Numbers candidates by position if their indices are not unique. */
function distinct(candidates: readonly Candidate[]): readonly Candidate[] {
  if (new Set(candidates.map(({ index }) => index)).size === candidates.length) return candidates;
  return candidates.map((candidate, index) => ({ ...candidate, index }));
}

function choiceOf(candidate: Candidate): JsonRecord {
  const { index, parts, logprobs } = candidate;
  const calls = parts.flatMap((part) => (part.kind === 'call' ? toolCallOf(part) : []));
  const content = joined(parts, 'text');
  const thoughts = joined(parts, 'thought');
  const images = parts.flatMap((part) => (part.kind === 'image' ? imageOf(part.url) : []));
  const signatures = parts.flatMap((part) => (part.kind === 'text' ? (part.signature ?? []) : []));
  return {
    index,
    message: {
      role: 'assistant',
      content: content === '' && calls.length > 0 ? null : content,
      refusal: null,
      ...(thoughts === '' ? {} : { reasoning_content: thoughts }),
      ...(images.length === 0 ? {} : { images }),
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
      ...signed(signatures.at(-1)),
    },
    finish_reason: finishOf(candidate.finishReason ?? 'stop', calls.length),
    logprobs,
  };
}

function joined(parts: readonly ContentPart[], kind: 'text' | 'thought'): string {
  return parts.map((part) => (part.kind === kind ? part.text : '')).join('');
}
