/**
 * Anthropic's marks of prompt prefixes to cache. A cache write for five minutes costs `cacheWrite`. One for an hour
 * costs 2 times the prompt's price instead of 1.25 times
 * (https://platform.claude.com/docs/en/build-with-claude/prompt-caching), and the catalogue has no price for it.
 */
import { unsupportedParameter } from '../../../../shared/http/parameter-errors.ts';
import { isObject } from '../../../../shared/members.ts';
import { asRecord } from '../../../nouns/json/record.ts';
import type { ChatRequest } from '../../../nouns/requests/chat-request.ts';

/** Checks every place where a provider may look for a mark. Throws GatewayError `unsupported_parameter`. */
export function refuseLongCacheWrites(body: ChatRequest): void {
  refuseLongCacheWrite(body, '');
  let index = -1;
  for (const message of body.messages) {
    index += 1;
    if (isMarked(message)) refuseLongCacheWrite(message, `messages[${index}]`);
    if (Array.isArray(message.content)) refuseInEach(message.content, `messages[${index}].content`);
    if (message.tool_calls) refuseInEach(message.tool_calls, `messages[${index}].tool_calls`);
  }
  if (body.tools) refuseInEach(body.tools, 'tools');
}

/** Parts, calls or tools. */
function refuseInEach(list: readonly object[], at: string): void {
  for (const [place, each] of list.entries()) {
    refuseLongCacheWrite(each, `${at}[${place}]`);
    const { function: called } = asRecord(each);
    if (isObject(called)) refuseLongCacheWrite(called, `${at}[${place}].function`);
  }
}

function isMarked(object: object): object is { readonly cache_control: unknown } {
  return 'cache_control' in object;
}

/** `at` is the marked object's path in the body. */
export function refuseLongCacheWrite(marked: object, at: string): void {
  if (!isMarked(marked)) return;
  const { ttl } = asRecord(marked.cache_control);
  if (ttl === undefined || ttl === null || ttl === '5m') return;
  const param = `${at === '' ? '' : `${at}.`}cache_control.ttl`;
  throw unsupportedParameter(param, `This value of '${param}' is not supported: only '5m' has a price.`);
}
