/**
 * Why the answer ended, in this interface's words. `stop_sequence` never appears: a chat completion does not tell a stop
 * sequence from a natural end, so both are `end_turn`.
 */
import type { Message } from '../../../endpoints/messages/message-schemas.ts';
import type { FinishReason } from '../../chat-completion.ts';

type StopReason = NonNullable<Message['stop_reason']>;

const stopReasons: Readonly<Record<FinishReason, StopReason>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  function_call: 'tool_use',
  content_filter: 'refusal',
};

/** Clients run tools by the reason, and some providers end an answer that calls tools with `stop`. */
export function stopReasonOf(
  finish: FinishReason | undefined,
  answer: { callsTools: boolean; refuses: boolean },
): StopReason {
  const reason = finish === undefined ? 'end_turn' : stopReasons[finish];
  if (reason !== 'end_turn') return reason;
  if (answer.callsTools) return 'tool_use';
  return answer.refuses ? 'refusal' : 'end_turn';
}
