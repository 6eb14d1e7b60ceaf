/** Why Gemini stopped, in OpenAI's terms: https://ai.google.dev/api/generate-content#FinishReason. */
import type { FinishReason } from '../../../nouns/chat-completion.ts';

/** `failed`: the model's output is not a usable response. */
const finishReasons: Readonly<Record<string, FinishReason | 'failed'>> = {
  STOP: 'stop',
  MAX_TOKENS: 'length',
  SAFETY: 'content_filter',
  RECITATION: 'content_filter',
  LANGUAGE: 'content_filter',
  BLOCKLIST: 'content_filter',
  PROHIBITED_CONTENT: 'content_filter',
  SPII: 'content_filter',
  MODEL_ARMOR: 'content_filter',
  IMAGE_SAFETY: 'content_filter',
  IMAGE_PROHIBITED_CONTENT: 'content_filter',
  IMAGE_RECITATION: 'content_filter',
  MALFORMED_FUNCTION_CALL: 'failed',
  UNEXPECTED_TOOL_CALL: 'failed',
  TOO_MANY_TOOL_CALLS: 'failed',
  MISSING_THOUGHT_SIGNATURE: 'failed',
  MALFORMED_RESPONSE: 'failed',
};

/** Undefined if the model has not stopped yet. Unknown reasons count as a natural end. */
export function finishReasonOf(reason: string | undefined): FinishReason | 'failed' | undefined {
  if (reason === undefined || reason === 'FINISH_REASON_UNSPECIFIED') return undefined;
  return Object.hasOwn(finishReasons, reason) ? finishReasons[reason] : 'stop';
}
