/** Reads numbers and names from bytes that anybody may have made. What is beyond the end reads as 0. */

/** Part of a file. `to` may be beyond its end. */
export interface ByteRange {
  readonly bytes: Uint8Array;
  readonly from: number;
  readonly to: number;
}

/**
 * Files with more pieces are refused: it would take too long to look at each. Speech in packets of 20 ms has a million in five
 * hours and a half.
 */
export const piecesMax = 1_000_000;

export function uint16(bytes: Uint8Array, at: number): number {
  return (bytes[at] ?? 0) * 0x100 + (bytes[at + 1] ?? 0);
}

export function uint32(bytes: Uint8Array, at: number): number {
  return uint16(bytes, at) * 0x1_0000 + uint16(bytes, at + 2);
}

/** Inexact above 2 ** 53, which is beyond the end of any file. */
export function uint64(bytes: Uint8Array, at: number): number {
  return uint32(bytes, at) * 2 ** 32 + uint32(bytes, at + 4);
}

export function uint16Little(bytes: Uint8Array, at: number): number {
  return (bytes[at + 1] ?? 0) * 0x100 + (bytes[at] ?? 0);
}

export function uint32Little(bytes: Uint8Array, at: number): number {
  return uint16Little(bytes, at + 2) * 0x1_0000 + uint16Little(bytes, at);
}

export function hasText(bytes: Uint8Array, at: number, text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    if (bytes[at + index] !== text.charCodeAt(index)) return false;
  }
  return true;
}

/** Where `wanted` is at `from` or later, or -1. */
export function positionOf(bytes: Uint8Array, wanted: Uint8Array, from: number): number {
  return searchable(bytes).indexOf(wanted, from);
}

/** The same bytes, without a copy. For many searches of the same file. */
export function searchable(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

export function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((size, { byteLength }) => size + byteLength, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.byteLength;
  }
  return whole;
}

/** Reads fields of any number of bits up to 32. */
export class BitReader {
  readonly #bytes: Uint8Array;
  readonly #order: 'highFirst' | 'lowFirst';
  #bit: number;

  constructor(bytes: Uint8Array, { from, order }: { from: number; order: 'highFirst' | 'lowFirst' }) {
    this.#bytes = bytes;
    this.#order = order;
    this.#bit = from * 8;
  }

  get isAtEnd(): boolean {
    return this.#bit >= this.#bytes.byteLength * 8;
  }

  read(bits: number): number {
    let value = 0;
    for (let index = 0; index < bits; index += 1) {
      const byte = this.#bytes[Math.floor(this.#bit / 8)] ?? 0;
      const place = this.#bit % 8;
      if (this.#order === 'highFirst') value = value * 2 + ((byte >> (7 - place)) & 1);
      else value += ((byte >> place) & 1) * 2 ** index;
      this.#bit += 1;
    }
    return value;
  }

  skip(bits: number): void {
    this.#bit += bits;
  }
}
