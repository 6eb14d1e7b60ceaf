/** POST /v1/messages: Anthropic's interface, in front of any chat model. */
import { checkValue } from '../../../shared/http/check-value.ts';
import { chatRequestOf } from '../../interfaces/anthropic-messages/request/chat-request-of.ts';
import { messagesRequestSchema } from '../../interfaces/anthropic-messages/request/request-schema.ts';
import { hasLongNumber, parseExact } from '../../json/parse-exact.ts';
import type { ChatCall } from '../../request/call.ts';
import { chatCallOf } from '../chat-completions/chat-completions.ts';

/** Throws GatewayError that names parameters as Anthropic does. */
export function readMessages(value: object, text: string): ChatCall {
  // Inputs of tools are translated as values, and must say to the digit what the model has said.
  return messagesCallOf(hasLongNumber(text) ? parseExact(text) : value, text);
}

/** The body of a token count is that of a request, but for what only matters for an answer. */
export function readTokenCount(value: object, text: string): ChatCall {
  return messagesCallOf({ max_tokens: 1, ...value }, text);
}

function messagesCallOf(value: unknown, text: string): ChatCall {
  const body = chatRequestOf(checkValue(messagesRequestSchema, value));
  const translated = JSON.stringify(body);
  // The prompt's tokens are bounded by what is sent on, so the translation counts where it is the longer one.
  const bytes = Math.max(Buffer.byteLength(text), Buffer.byteLength(translated));
  return chatCallOf(body, { text: translated, bytes });
}
