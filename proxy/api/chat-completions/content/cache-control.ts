/**
 * Anthropic's marks of prompt prefixes to cache. A cache write for five minutes costs `cacheWrite`. One for an hour
 * costs 2 times the prompt's price instead of 1.25 times
 * (https://platform.claude.com/docs/en/build-with-claude/prompt-caching), and the catalogue has no price for it.
 */
import { unsupportedParameter } from '../../../../shared/http/parameter-errors.ts';
import { asRecord } from '../../../nouns/json/record.ts';
import type { ChatRequest } from '../../../nouns/requests/chat-request.ts';

/** Checks every place where a provider may look for a mark. Throws GatewayError `unsupported_parameter`. */
export function refuseLongCacheWrites(body: ChatRequest): void {
  refuseLongCacheWrite(body, '');
  for (const [index, message] of body.messages.entries()) {
    const at = `messages[${index}]`;
    refuseLongCacheWrite(message, at);
    if (Array.isArray(message.content)) {
      for (const [place, part] of message.content.entries()) refuseLongCacheWrite(part, `${at}.content[${place}]`);
    }
    for (const [place, call] of (message.tool_calls ?? []).entries()) {
      refuseLongCacheWrite(call, `${at}.tool_calls[${place}]`);
      if (call.function) refuseLongCacheWrite(call.function, `${at}.tool_calls[${place}].function`);
    }
  }
  for (const [index, tool] of (body.tools ?? []).entries()) {
    refuseLongCacheWrite(tool, `tools[${index}]`);
    if (tool.function) refuseLongCacheWrite(tool.function, `tools[${index}].function`);
  }
}

/** `at` is the marked object's path in the body. */
export function refuseLongCacheWrite(marked: object, at: string): void {
  if (!('cache_control' in marked)) return;
  const { ttl } = asRecord(marked.cache_control);
  if (ttl === undefined || ttl === null || ttl === '5m') return;
  const param = `${at === '' ? '' : `${at}.`}cache_control.ttl`;
  throw unsupportedParameter(param, `This value of '${param}' is not supported: only '5m' has a price.`);
}
