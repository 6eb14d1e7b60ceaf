/**
 * Nearly every piece of a stream is one chunk, like the one before but for the generated text, and goes out as it came.
 * Such a piece is recognised by its bytes: decoding it to text, which nobody would read, would cost more than the look.
 */

/** A template whose events go out as they came, in bytes. */
export interface PlainTemplate {
  readonly strings: readonly { readonly before: Uint8Array; readonly generated: boolean }[];
  readonly tail: Uint8Array;
}

const quote = 0x22;
const backslash = 0x5c;
const firstPrintable = 0x20;
const firstBeyondAscii = 0x80;

/** Where the model's text is in a piece: start and end in turn. */
export type Ranges = number[];

/**
 * The position behind the event; -1 where the event at `start` is not like the template, or has more than printable
 * ASCII in its strings. Its generated strings are added to `generated` in either case.
 */
export function matchPlain(
  { strings, tail }: PlainTemplate,
  bytes: Uint8Array,
  { start, generated: ranges }: { start: number; generated: Ranges },
): number {
  let position = start;
  for (const { before, generated } of strings) {
    if (!standsAt(before, bytes, position)) return -1;
    const inside = position + before.length;
    position = endOfPlainString(bytes, inside);
    if (position < 0) return -1;
    if (generated) ranges.push(inside, position);
  }
  return standsAt(tail, bytes, position) ? position + tail.length : -1;
}

function standsAt(expected: Uint8Array, bytes: Uint8Array, start: number): boolean {
  const { length } = expected;
  if (start + length > bytes.length) return false;
  for (let index = 0; index < length; index += 1) if (bytes[start + index] !== expected[index]) return false;
  return true;
}

/** The position of the closing quote; -1 where there is none, or something before it that has to be decoded. */
function endOfPlainString(bytes: Uint8Array, start: number): number {
  for (let position = start; position < bytes.length; position += 1) {
    const byte = bytes[position] ?? 0;
    if (byte === quote) return position;
    if (byte < firstPrintable || byte === backslash || byte >= firstBeyondAscii) return -1;
  }
  return -1;
}
