/** POST /v1/messages: Anthropic's Messages API, in front of any chat model. */
import { checkValue } from '../../../shared/http/check-value.ts';
import type { ChatCall } from '../../nouns/call.ts';
import { hasLongNumber, parseExact } from '../../nouns/json/parse-exact.ts';
import { withModel } from '../../nouns/requests/routing.ts';
import { chatCallOf } from '../chat-completions/chat-completions.ts';
import { chatRequestOf } from './request/chat-request-of.ts';
import { findLongCacheWriteOf } from './request/find-long-cache-write.ts';
import { messagesRequestSchema } from './request/request-schema.ts';

/** Hardly any request has it. */
const longLifetime = '1h';

/** Throws GatewayError whose `param` is Anthropic's name of the parameter. */
export function readMessages(value: object, text: string): ChatCall {
  // Tool inputs are translated as values, and their numbers must keep every digit that the model wrote.
  return messagesCallOf(hasLongNumber(text) ? withModel(parseExact(text) as object) : value, text);
}

/** The body of a token count is that of a request, except that `max_tokens` is optional. */
export function readTokenCount(value: object, text: string): ChatCall {
  return messagesCallOf({ max_tokens: 1, ...value }, text);
}

function messagesCallOf(value: unknown, text: string): ChatCall {
  const request = checkValue(messagesRequestSchema, value);
  const { body, removedTools, webSearch, ...alone } = chatRequestOf(request);
  const translated = JSON.stringify(body);
  // What the provider receives bounds the prompt's tokens, so the longer of both texts counts.
  const bytes = Math.max(Buffer.byteLength(text), Buffer.byteLength(translated));
  const longCacheWriteAt = text.includes(longLifetime) ? findLongCacheWriteOf(request) : undefined;
  return {
    ...chatCallOf(body, { text: translated, bytes }),
    ...(longCacheWriteAt !== undefined && { longCacheWriteAt }),
    ...(webSearch !== undefined && { webSearch }),
    removedTools,
    ...alone,
    keepsOrder: true,
  };
}
