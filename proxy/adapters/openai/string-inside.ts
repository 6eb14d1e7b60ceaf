/** Where the inside of a JSON string ends, judged as strictly as a parser would. */

const quote = 0x22;
const backslash = 0x5c;
const firstPrintable = 0x20;
const fourHexDigits = /^[0-9a-fA-F]{4}$/;

export interface StringInside {
  /** The position of the closing quote. */
  readonly end: number;
  /** The length of what the string says. */
  readonly characters: number;
}

/** `start` is behind the opening quote. Undefined where the string is not whole, or is not JSON. */
export function endOfStringInside(text: string, start: number): StringInside | undefined {
  let characters = 0;
  let position = start;
  while (position < text.length) {
    const code = text.charCodeAt(position);
    if (code === quote) return { end: position, characters };
    if (code < firstPrintable) return undefined;
    const length = code === backslash ? escapeLength(text, position) : 1;
    if (length === 0) return undefined;
    position += length;
    characters += 1;
  }
  return undefined;
}

/** 0 where it is none. */
function escapeLength(text: string, position: number): number {
  const kind = text.charAt(position + 1);
  if (kind === 'u') return fourHexDigits.test(text.slice(position + 2, position + 6)) ? 6 : 0;
  return kind !== '' && '"\\/bfnrt'.includes(kind) ? 2 : 0;
}
