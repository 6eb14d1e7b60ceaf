/**
 * Anthropic's marks of prompt prefixes to cache. A cache write for five minutes costs `cacheWrite`, and one for an hour, of
 * `"ttl": "1h"`, costs `cacheWrite1h` where the model has a price for it
 * (https://platform.claude.com/docs/en/build-with-claude/prompt-caching).
 */
import { unsupportedParameter } from '../../../../shared/http/parameter-errors.ts';
import { isObject } from '../../../../shared/members.ts';
import { asRecord } from '../../../nouns/json/record.ts';
import type { ChatRequest } from '../../../nouns/requests/chat-request.ts';

/**
 * Looks in every place where a provider may look for a mark. Returns the path of the first one for an hour, undefined if
 * there is none. Throws GatewayError `unsupported_parameter` for any other lifetime.
 */
export function findLongCacheWrite(body: ChatRequest): string | undefined {
  let found = longMarkOf(body, '');
  let index = -1;
  for (const message of body.messages) {
    index += 1;
    if (isMarked(message)) {
      const own = longMarkOf(message, `messages[${index}]`);
      found ??= own;
    }
    if (Array.isArray(message.content)) found = findInEach(message.content, `messages[${index}].content`, found);
    if (message.tool_calls) found = findInEach(message.tool_calls, `messages[${index}].tool_calls`, found);
  }
  return body.tools ? findInEach(body.tools, 'tools', found) : found;
}

/** In parts, calls or tools; `found` if there was one before. */
function findInEach(list: readonly object[], at: string, found: string | undefined): string | undefined {
  let first = found;
  for (const [place, each] of list.entries()) {
    const own = longMarkOf(each, `${at}[${place}]`);
    const { function: called } = asRecord(each);
    const inner = isObject(called) ? longMarkOf(called, `${at}[${place}].function`) : undefined;
    first ??= own ?? inner;
  }
  return first;
}

function isMarked(object: object): object is { readonly cache_control: unknown } {
  return 'cache_control' in object;
}

/** `at` is the marked object's path in the body. */
export function longMarkOf(marked: object, at: string): string | undefined {
  if (!isMarked(marked)) return undefined;
  const { ttl } = asRecord(marked.cache_control);
  if (ttl === undefined || ttl === null || ttl === '5m') return undefined;
  const param = `${at === '' ? '' : `${at}.`}cache_control.ttl`;
  if (ttl === '1h') return param;
  throw unsupportedParameter(param, `This value of '${param}' is not supported: only '5m' and '1h' have a price.`);
}
