/**
 * Nearly every piece of a stream is one chunk, like the one before except for the generated text. Such a piece is
 * recognised by its bytes, and goes out as it came or with other bytes around the same strings, as where the provider
 * calls the model by another name than the client. Decoding it to text, which nobody would read, would cost more.
 */

const encoder = new TextEncoder();

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

/** Where strings are in a piece: start and end in turn. */
export type Ranges = number[];

const quote = 0x22;
const backslash = 0x5c;
const firstPrintable = 0x20;
const firstBeyondAscii = 0x80;
const letterU = 0x75;
/** What may follow a backslash, and is a character with it. */
const shortEscapes: ReadonlySet<number> = new Set(encoder.encode('"\\/bfnrt'));
const hexDigits: ReadonlySet<number> = new Set(encoder.encode('0123456789abcdefABCDEF'));

/**
 * The position behind the event; -1 where the event at `start` is not like the template. Its strings are added to
 * `strings`, and those that the model has generated to `generated`, in either case.
 */
export function matchPlain(
  { strings: expected, tail }: PlainTemplate,
  bytes: Uint8Array,
  { start, strings, generated }: { start: number; strings: Ranges; generated: Ranges },
): number {
  let position = start;
  for (const { before, generated: isGenerated } of expected) {
    if (!standsAt(before, bytes, position)) return -1;
    const inside = position + before.length;
    position = endOfString(bytes, inside);
    if (position < 0) return -1;
    strings.push(inside, position);
    if (isGenerated) generated.push(inside, position);
  }
  return standsAt(tail, bytes, position) ? position + tail.length : -1;
}

/** Whether what a string says is what it spells: printable ASCII without escapes. */
export function isPlainAscii(bytes: Uint8Array, start: number, end: number): boolean {
  for (let position = start; position < end; position += 1) {
    const byte = bytes[position] ?? 0;
    if (byte === backslash || byte >= firstBeyondAscii) return false;
  }
  return true;
}

/** Where a piece is put together that does not go out as it came. */
const room = new Uint8Array(65_536);

/**
 * A piece on its way out, event by event. Until one of them changes nothing is copied; one that outgrows the room for it
 * has to be read as text.
 */
export class PlainPiece {
  readonly #bytes: Uint8Array;
  #length = 0;
  #changed = false;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** `strings` has those of the event, from `first` on. False where there is no room. */
  add({ output }: PlainTemplate, { start, end, strings, first }: PlainEvent): boolean {
    if (output === undefined && !this.#changed) return true;
    if (!this.#changed) {
      this.#changed = true;
      if (!this.#copy(0, start)) return false;
    }
    if (output === undefined) return this.#copy(start, end);
    if (this.#length + end - start + output.growth > room.length) return false;
    let next = first;
    for (const before of output.befores) {
      this.#write(before);
      this.#copy(strings[next] ?? 0, strings[next + 1] ?? 0);
      next += 2;
    }
    this.#write(output.tail);
    return true;
  }

  /** The very same bytes where nothing has changed. */
  get output(): Uint8Array {
    return this.#changed ? room.slice(0, this.#length) : this.#bytes;
  }

  #write(bytes: Uint8Array): void {
    room.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  #copy(start: number, end: number): boolean {
    const shift = this.#length - start;
    if (end + shift > room.length) return false;
    for (let index = start; index < end; index += 1) room[index + shift] = this.#bytes[index] ?? 0;
    this.#length = end + shift;
    return true;
  }
}

interface PlainEvent {
  readonly start: number;
  readonly end: number;
  readonly strings: Ranges;
  readonly first: number;
}

function standsAt(expected: Uint8Array, bytes: Uint8Array, start: number): boolean {
  const { length } = expected;
  if (start + length > bytes.length) return false;
  for (let index = 0; index < length; index += 1) if (bytes[start + index] !== expected[index]) return false;
  return true;
}

/** The position of the closing quote; -1 where there is none, or where the string is not JSON. */
function endOfString(bytes: Uint8Array, start: number): number {
  for (let position = start; position < bytes.length; position += 1) {
    const byte = bytes[position] ?? 0;
    if (byte === quote) return position;
    if (byte < firstPrintable) return -1;
    if (byte !== backslash) continue;
    const length = escapeLength(bytes, position);
    if (length === 0) return -1;
    position += length - 1;
  }
  return -1;
}

/** 0 where it is none. */
function escapeLength(bytes: Uint8Array, position: number): number {
  const kind = bytes[position + 1] ?? 0;
  if (kind !== letterU) return shortEscapes.has(kind) ? 2 : 0;
  for (let digit = position + 2; digit < position + 6; digit += 1) if (!hexDigits.has(bytes[digit] ?? 0)) return 0;
  return 6;
}
