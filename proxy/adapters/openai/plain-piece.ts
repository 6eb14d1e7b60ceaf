/**
 * Nearly every piece of a stream is one chunk, like the one before except for the generated text. Such a piece is
 * recognised by its bytes, and goes out as it came or with other bytes around the same strings, as where the provider
 * calls the model by another name than the client. Decoding it to text, which nobody would read, would cost more.
 */

/** A template in bytes. */
export interface PlainTemplate {
  readonly strings: readonly { readonly before: Uint8Array; readonly generated: boolean }[];
  readonly tail: Uint8Array;
  /** Undefined where the event goes out as it came. */
  readonly output: PlainOutput | undefined;
}

/** What goes out around the same strings. */
export interface PlainOutput {
  readonly befores: readonly Uint8Array[];
  readonly tail: Uint8Array;
  /** How many bytes the event grows by. */
  readonly growth: number;
}

export interface PlainMatch {
  readonly template: PlainTemplate;
  readonly start: number;
  /** Where each string begins and ends, in turn. */
  readonly insides: readonly number[];
  /** The position behind the event. */
  readonly end: number;
}

const quote = 0x22;
const backslash = 0x5c;
const firstPrintable = 0x20;
const firstBeyondAscii = 0x80;

/**
 * Undefined where the event at `start` is not like the template, or has more than printable ASCII in its strings, which
 * has to be decoded to be weighed.
 */
export function matchPlain(template: PlainTemplate, bytes: Uint8Array, start: number): PlainMatch | undefined {
  const { strings, tail } = template;
  const insides: number[] = [];
  let position = start;
  for (const { before } of strings) {
    if (!standsAt(before, bytes, position)) return undefined;
    const inside = position + before.length;
    position = endOfPlainString(bytes, inside);
    if (position < 0) return undefined;
    insides.push(inside, position);
  }
  return standsAt(tail, bytes, position) ? { template, start, insides, end: position + tail.length } : undefined;
}

/** Where a piece is put together. */
const room = new Uint8Array(65_536);

/** The piece as it goes out, which is the very same where nothing changes; undefined where it is too large for that. */
export function renderPlain(bytes: Uint8Array, matches: readonly PlainMatch[]): Uint8Array | undefined {
  if (matches.every(({ template }) => template.output === undefined)) return bytes;
  let length = 0;
  for (const match of matches) {
    const { start, end, template } = match;
    if (length + end - start + (template.output?.growth ?? 0) > room.length) return undefined;
    length =
      template.output === undefined ? copy(bytes, start, end, length) : render(match, template.output, bytes, length);
  }
  return room.slice(0, length);
}

/** Returns the position behind what was written, as `copy` does. */
function render({ insides }: PlainMatch, { befores, tail }: PlainOutput, bytes: Uint8Array, to: number): number {
  let length = to;
  let number = 0;
  for (const before of befores) {
    room.set(before, length);
    length = copy(bytes, insides[number] ?? 0, insides[number + 1] ?? 0, length + before.length);
    number += 2;
  }
  room.set(tail, length);
  return length + tail.length;
}

function copy(bytes: Uint8Array, start: number, end: number, to: number): number {
  const shift = to - start;
  for (let index = start; index < end; index += 1) room[index + shift] = bytes[index] ?? 0;
  return end + shift;
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
