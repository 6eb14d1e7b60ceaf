/**
 * The members of messages, content parts and tools that the gateway checks. Servers written in Go ignore the case of
 * names (https://pkg.go.dev/encoding/json#Unmarshal): for them `Type` is `type`, and the last one counts.
 */
import { unsupportedParameter } from '../../../../shared/http/parameter-errors.ts';
import type { JsonRecord } from '../../../nouns/json/record.ts';

export const messageMembers: ReadonlySet<string> = new Set([
  ...['role', 'content', 'name', 'refusal', 'tool_calls', 'tool_call_id', 'function_call', 'annotations'],
  ...['reasoning', 'reasoning_content', 'reasoning_details', 'thinking_blocks', 'cache_control', 'extra_content'],
]);
export const partMembers: ReadonlySet<string> = new Set([
  ...['type', 'text', 'refusal', 'image_url', 'input_audio', 'file', 'cache_control'],
]);
export const toolMembers: ReadonlySet<string> = new Set(['type', 'function', 'custom', 'cache_control']);

/**
 * `at` is the object's path in the body. Returns whether unknown members have objects or lists, in which a provider may
 * find media, such as `images`. Throws GatewayError `unsupported_parameter` for a known name in another case.
 */
export function checkMembers(object: object, known: ReadonlySet<string>, at: string): boolean {
  const record = object as JsonRecord;
  let hasMore = false;
  for (const name in record) {
    if (known.has(name)) continue;
    refuseOtherSpelling(name, known, at);
    const value = record[name];
    hasMore ||= typeof value === 'object' && value !== null && Object.keys(value).length > 0;
  }
  return hasMore;
}

function refuseOtherSpelling(name: string, known: ReadonlySet<string>, at: string): void {
  if (/^[a-z\d_]*$/.test(name)) return;
  const meant = name.normalize('NFKC').toLowerCase();
  if (!known.has(meant)) return;
  const param = `${at}.${name}`;
  throw unsupportedParameter(param, `'${param}' is not supported: some providers read it as '${meant}'.`);
}
