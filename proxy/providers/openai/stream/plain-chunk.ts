/**
 * Nearly every chunk of a stream is one event that differs from the previous one only in its generated text. Such a
 * chunk is recognized by its bytes, and passed on unchanged or with other bytes around the same strings, for example if
 * the provider has another name for the model. Decoding it to text would cost more, and is not needed.
 */

const encoder = new TextEncoder();

/** A template in bytes. */
export interface PlainTemplate {
  readonly strings: readonly PlainString[];
  readonly tail: Uint8Array;
  /** Undefined if the event is passed on unchanged. */
  readonly output: PlainOutput | undefined;
}

export interface PlainString {
  readonly before: Uint8Array;
  /** Which choice it belongs to, if the model has generated it. */
  readonly choice: number | undefined;
}

/** The output around the same strings. */
export interface PlainOutput {
  readonly befores: readonly Uint8Array[];
  readonly tail: Uint8Array;
  /** How many bytes the event grows by. */
  readonly growth: number;
}

/** Where strings are in a chunk: alternating start and end. */
export type Ranges = number[];
/** Where generated strings are in a chunk: start, end and choice of each. */
export type GeneratedRanges = number[];

const quote = 0x22;
const backslash = 0x5c;
const firstPrintable = 0x20;
const firstBeyondAscii = 0x80;
const letterU = 0x75;
/** The characters that may follow a backslash. */
const shortEscapes: ReadonlySet<number> = new Set(encoder.encode('"\\/bfnrt'));
const hexDigits: ReadonlySet<number> = new Set(encoder.encode('0123456789abcdefABCDEF'));

/**
 * The position after the event; -1 if the event at `start` does not match the template. In either case its strings are
 * added to `strings`, and those that the model has generated to `generated`.
 */
export function matchPlain(
  { strings: expected, tail }: PlainTemplate,
  bytes: Uint8Array,
  { start, strings, generated }: { start: number; strings: Ranges; generated: GeneratedRanges },
): number {
  let position = start;
  for (const { before, choice } of expected) {
    if (!standsAt(before, bytes, position)) return -1;
    const inside = position + before.length;
    position = endOfString(bytes, inside);
    if (position < 0) return -1;
    strings.push(inside, position);
    if (choice !== undefined) generated.push(inside, position, choice);
  }
  return standsAt(tail, bytes, position) ? position + tail.length : -1;
}

/** Whether a string is printable ASCII without escapes. */
export function isPlainAscii(bytes: Uint8Array, start: number, end: number): boolean {
  for (let position = start; position < end; position += 1) {
    const byte = bytes[position] ?? 0;
    if (byte === backslash || byte >= firstBeyondAscii) return false;
  }
  return true;
}

/** Where changed chunks are assembled. */
const buffer = new Uint8Array(65_536);

/**
 * An output chunk, assembled event by event. Nothing is copied until an event changes. A chunk that does not fit the
 * buffer has to be read as text.
 */
export class PlainChunk {
  readonly #bytes: Uint8Array;
  #length = 0;
  #changed = false;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** `strings` has those of the event, from `first` on. Returns false if the buffer is full. */
  add({ output }: PlainTemplate, { start, end, strings, first }: PlainEvent): boolean {
    if (output === undefined && !this.#changed) return true;
    if (!this.#changed) {
      this.#changed = true;
      if (!this.#copy(0, start)) return false;
    }
    if (output === undefined) return this.#copy(start, end);
    if (this.#length + end - start + output.growth > buffer.length) return false;
    let next = first;
    for (const before of output.befores) {
      this.#write(before);
      this.#copy(strings[next] ?? 0, strings[next + 1] ?? 0);
      next += 2;
    }
    this.#write(output.tail);
    return true;
  }

  /** The original array if nothing has changed. */
  get output(): Uint8Array {
    return this.#changed ? buffer.slice(0, this.#length) : this.#bytes;
  }

  #write(bytes: Uint8Array): void {
    buffer.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  #copy(start: number, end: number): boolean {
    const shift = this.#length - start;
    if (end + shift > buffer.length) return false;
    for (let index = start; index < end; index += 1) buffer[index + shift] = this.#bytes[index] ?? 0;
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

/** The position of the closing quote; -1 if there is none, or the string is not valid JSON. */
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

/** 0 if it is not a valid escape. */
function escapeLength(bytes: Uint8Array, position: number): number {
  const kind = bytes[position + 1] ?? 0;
  if (kind !== letterU) return shortEscapes.has(kind) ? 2 : 0;
  for (let digit = position + 2; digit < position + 6; digit += 1) if (!hexDigits.has(bytes[digit] ?? 0)) return 0;
  return 6;
}
