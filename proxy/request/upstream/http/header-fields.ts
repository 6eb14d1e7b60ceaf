/** The header fields of a response: names are compared without case, and lines of one name are joined (RFC 9110, 5.3). */
import type { ResponseHeaders } from '../../../nouns/http-response.ts';

const fieldsMax = 256;
const name = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const value = /^[\t\x20-\x7e\x80-\xff]*$/;

export class HeaderFields implements ResponseHeaders {
  readonly #values = new Map<string, string>();

  add(field: string, text: string): void {
    const key = field.toLowerCase();
    const before = this.#values.get(key);
    this.#values.set(key, before === undefined ? text : `${before}, ${text}`);
  }

  get(field: string): string | null {
    return this.#values.get(field) ?? this.#values.get(field.toLowerCase()) ?? null;
  }

  has(field: string): boolean {
    return this.get(field) !== null;
  }

  [Symbol.iterator](): Iterator<readonly [name: string, value: string]> {
    return this.#values.entries();
  }
}

/** Reads lines of fields, which end with CRLF, the last one without it. Undefined if one is malformed. */
export function headerFieldsOf(text: string, from: number): HeaderFields | undefined {
  const fields = new HeaderFields();
  let count = 0;
  for (let at = from; at < text.length; ) {
    const found = text.indexOf('\r\n', at);
    const end = found < 0 ? text.length : found;
    const colon = text.indexOf(':', at);
    count += 1;
    if (colon < 0 || colon > end || count > fieldsMax) return undefined;
    const field = text.slice(at, colon);
    const content = text.slice(colon + 1, end);
    if (!name.test(field) || !value.test(content)) return undefined;
    fields.add(field, trimmed(content));
    at = end + 2;
  }
  return fields;
}

/** Spaces and tabs around it do not belong to it. */
function trimmed(text: string): string {
  let from = 0;
  let until = text.length;
  while (from < until && isBlank(text.charCodeAt(from))) from += 1;
  while (until > from && isBlank(text.charCodeAt(until - 1))) until -= 1;
  return text.slice(from, until);
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}

/** The elements of a list of tokens, in lower case. */
export function listOf(text: string | null): readonly string[] {
  return text === null ? [] : text.split(',').map((token) => token.trim().toLowerCase());
}
