/**
 * Why the model stopped, in the terms of this API format. `stop_sequence` never occurs: a chat completion does not
 * distinguish a stop sequence from a natural end, so both are `end_turn`.
 */
import type { FinishReason, NativeFinishReason } from '../../../nouns/chat-completion.ts';
import type { Message } from '../message-schemas.ts';

type StopReason = NonNullable<Message['stop_reason']>;

const stopReasons: Readonly<Record<FinishReason, StopReason>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  function_call: 'tool_use',
  content_filter: 'refusal',
};

/** Clients decide by the reason whether to run tools, and some providers report `stop` for responses that call them. */
export function stopReasonOf(
  finish: FinishReason | undefined,
  response: { callsTools: boolean; refuses: boolean; native: NativeFinishReason | undefined },
): StopReason {
  // OpenRouter has a member of the same name, with reasons in the words of each of its suppliers.
  if (response.native === 'pause_turn') return response.native;
  const reason = finish === undefined ? 'end_turn' : stopReasons[finish];
  if (reason !== 'end_turn') return reason;
  if (response.callsTools) return 'tool_use';
  return response.refuses ? 'refusal' : 'end_turn';
}
