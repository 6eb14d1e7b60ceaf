/** Finds the end of a JSON string, as strictly as a parser would, and decodes its content. */

const quote = 0x22;
const backslash = 0x5c;
const firstPrintable = 0x20;
const fourHexDigits = /^[0-9a-fA-F]{4}$/;

const escapeSequence = /\\(?:u([0-9a-fA-F]{4})|(.))/g;
const controls: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

/** The position of the closing quote; -1 if the string is incomplete or invalid. `start` is after the opening quote. */
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

/** Decodes the content of a string that is known to be valid JSON. */
export function textInside(inside: string): string {
  if (!inside.includes('\\')) return inside;
  return inside.replaceAll(escapeSequence, (_, hex: string | undefined, character: string) =>
    hex === undefined ? (controls[character] ?? character) : String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

/** 0 if it is not a valid escape. */
function escapeLength(text: string, position: number): number {
  const kind = text.charAt(position + 1);
  if (kind === 'u') return fourHexDigits.test(text.slice(position + 2, position + 6)) ? 6 : 0;
  return kind !== '' && '"\\/bfnrt'.includes(kind) ? 2 : 0;
}
