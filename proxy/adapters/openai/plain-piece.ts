/**
 * Nearly every piece of a stream is one chunk, like the one before but for the generated text, and goes out as it came.
 * Such a piece is recognised by its bytes: decoding it to text, which nobody would read, would cost more than the look.
 */
import { estimatePieceTokens } from '../../metering/estimate-tokens.ts';

/** A template whose events go out as they came, in bytes. */
export interface PlainTemplate {
  readonly strings: readonly { readonly before: Uint8Array; readonly generated: boolean }[];
  readonly tail: Uint8Array;
}

const quote = 0x22;
const backslash = 0x5c;
const firstPrintable = 0x20;
const firstBeyondAscii = 0x80;

/** The tokens that were generated in an event; the position behind it is left in `end`. */
export class PlainMatch {
  end = 0;
  tokens = 0;

  /** False where the event at `start` is not like the template, or has more than printable ASCII in its strings. */
  matches({ strings, tail }: PlainTemplate, bytes: Uint8Array, start: number): boolean {
    let tokens = 0;
    let position = start;
    for (const { before, generated } of strings) {
      if (!standsAt(before, bytes, position)) return false;
      const inside = position + before.length;
      position = endOfPlainString(bytes, inside);
      if (position < 0) return false;
      if (generated) tokens += estimatePieceTokens(position - inside);
    }
    if (!standsAt(tail, bytes, position)) return false;
    this.end = position + tail.length;
    this.tokens = tokens;
    return true;
  }
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
