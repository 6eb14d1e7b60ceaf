/** Why the model stopped, in OpenAI's terms. Bedrock adds its own reasons to Anthropic's. */
import type { FinishReason, NativeFinishReason } from '../../nouns/chat-completion.ts';

/** `toolCalls` counts the calls that the client sees, without the one that has a JSON response. */
export function finishReasonOf(stopReason: string | null | undefined, toolCalls: number): FinishReason {
  switch (stopReason) {
    case 'max_tokens':
    case 'model_context_window_exceeded':
    // After many searches of the web: the client may send the message back to have it continued.
    case 'pause_turn':
      return 'length';
    case 'refusal':
    case 'guardrail_intervened':
    case 'content_filtered':
      return 'content_filter';
    case 'tool_use':
    case null:
    case undefined:
      return toolCalls > 0 ? 'tool_calls' : 'stop';
    default:
      return 'stop';
  }
}

/** What a client that reads the searches of a turn has to know beyond that. */
export function nativeReasonOf(stopReason: string | null | undefined): { native_finish_reason?: NativeFinishReason } {
  return stopReason === 'pause_turn' ? { native_finish_reason: stopReason } : {};
}
