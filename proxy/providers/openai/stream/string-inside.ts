/** Where the inside of a JSON string ends, judged as strictly as a parser would, and what it says. */

const quote = 0x22;
const backslash = 0x5c;
const firstPrintable = 0x20;
const fourHexDigits = /^[0-9a-fA-F]{4}$/;

const escapeSequence = /\\(?:u([0-9a-fA-F]{4})|(.))/g;
const controls: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

/** The position of the closing quote; -1 where the string is not whole, or is not JSON. `start` is behind the opening one. */
export function endOfStringInside(text: string, start: number): number {
  let position = start;
  while (position < text.length) {
    const code = text.charCodeAt(position);
    if (code === quote) return position;
    if (code < firstPrintable) return -1;
    const length = code === backslash ? escapeLength(text, position) : 1;
    if (length === 0) return -1;
    position += length;
  }
  return -1;
}

/** What an inside says, which is known to be JSON. */
export function textInside(inside: string): string {
  if (!inside.includes('\\')) return inside;
  return inside.replaceAll(escapeSequence, (_, hex: string | undefined, character: string) =>
    hex === undefined ? (controls[character] ?? character) : String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

/** 0 where it is none. */
function escapeLength(text: string, position: number): number {
  const kind = text.charAt(position + 1);
  if (kind === 'u') return fourHexDigits.test(text.slice(position + 2, position + 6)) ? 6 : 0;
  return kind !== '' && '"\\/bfnrt'.includes(kind) ? 2 : 0;
}
