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

const quote = 0x22;
const backslash = 0x5c;
const firstPrintable = 0x20;
const firstBeyondAscii = 0x80;
const letterU = 0x75;
/** The characters that may follow a backslash. */
const shortEscapes: ReadonlySet<number> = new Set(encoder.encode('"\\/bfnrt'));
const hexDigits: ReadonlySet<number> = new Set(encoder.encode('0123456789abcdefABCDEF'));

/** Whether a string is printable ASCII without escapes. */
export function isPlainAscii(bytes: Uint8Array, start: number, end: number): boolean {
  for (let position = start; position < end; position += 1) {
    const byte = bytes[position] ?? 0;
    if (byte === backslash || byte >= firstBeyondAscii) return false;
  }
  return true;
}

/** Where changed chunks are assembled. A chunk that does not fit has to be read as text. */
const buffer = new Uint8Array(65_536);
const noBytes = new Uint8Array(0);

/**
 * Translates one chunk after the other, each event by event. Nothing is copied until an event changes. It is made once for a
 * stream and returns numbers: the objects of a chunk would cost more than its translation.
 */
export class PlainChunk {
  /** Where generated strings are in the chunk: start, end and choice of each. */
  readonly generated: number[] = [];
  /** Where the strings of the latest event are: start and end of each. */
  readonly #strings: number[] = [];
  #bytes: Uint8Array = noBytes;
  #length = 0;
  #changed = false;

  begin(bytes: Uint8Array): void {
    this.generated.length = 0;
    this.#bytes = bytes;
    this.#length = 0;
    this.#changed = false;
  }

  /** Adds the event at `start`, and returns the position after it; -1 if it does not match, or the buffer is full. */
  add(template: PlainTemplate, start: number): number {
    const { length } = this.generated;
    const end = this.#match(template, start);
    if (end >= 0 && this.#render(template.output, start, end)) return end;
    this.generated.length = length;
    return -1;
  }

  /** The original array if nothing has changed. */
  get output(): Uint8Array {
    return this.#changed ? buffer.slice(0, this.#length) : this.#bytes;
  }

  #match({ strings, tail }: PlainTemplate, start: number): number {
    const bytes = this.#bytes;
    this.#strings.length = 0;
    let position = start;
    for (const { before, choice } of strings) {
      if (!standsAt(before, bytes, position)) return -1;
      const inside = position + before.length;
      position = endOfString(bytes, inside);
      if (position < 0) return -1;
      this.#strings.push(inside, position);
      if (choice !== undefined) this.generated.push(inside, position, choice);
    }
    return standsAt(tail, bytes, position) ? position + tail.length : -1;
  }

  #render(output: PlainOutput | undefined, start: number, end: number): boolean {
    if (output === undefined && !this.#changed) return true;
    if (!this.#changed) {
      this.#changed = true;
      if (!this.#copy(0, start)) return false;
    }
    if (output === undefined) return this.#copy(start, end);
    if (this.#length + end - start + output.growth > buffer.length) return false;
    let next = 0;
    for (const before of output.befores) {
      this.#write(before);
      this.#copy(this.#strings[next] ?? 0, this.#strings[next + 1] ?? 0);
      next += 2;
    }
    this.#write(output.tail);
    return true;
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
