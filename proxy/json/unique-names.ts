/**
 * RFC 8259 §4 leaves open what an object means that has the same name twice: the last one counts for us, but the first one
 * may count for a provider. Such a text is therefore rewritten with the last one only, before it is judged and passed on.
 */
import { parseExact } from './parse-exact.ts';
import type { JsonRecord } from './record.ts';

/** `value` is the text parsed, `members` the number of names in the text. The very same text where all are unique. */
export function withUniqueNames(text: string, { value, members }: { value: object; members: number }): string {
  return countMembers(value) === members ? text : JSON.stringify(parseExact(text));
}

/** Of all objects in each other. A body's depth is limited before it is parsed. */
function countMembers(value: object): number {
  let members = 0;
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item === 'object' && item !== null) members += countMembers(item);
    return members;
  }
  const record = value as JsonRecord;
  for (const name in record) {
    const member = record[name];
    members += 1;
    if (typeof member === 'object' && member !== null) members += countMembers(member);
  }
  return members;
}
