/**
 * RFC 8259 §4 does not define what duplicate names in an object mean: the last one counts here, but a provider may
 * take the first. So such a text is rewritten with only the last one, before it is checked and passed on.
 */
import { parseExact } from '../../nouns/json/parse-exact.ts';
import type { JsonRecord } from '../../nouns/json/record.ts';

/** `value` is the parsed text, `members` the number of names in it. Returns the text itself if all are unique. */
export function withUniqueNames(text: string, { value, members }: { value: object; members: number }): string {
  return countMembers(value) === members ? text : JSON.stringify(parseExact(text));
}

/** Counts nested members too. The depth of a body is limited before it is parsed. */
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
