/** Composes files from numbers, names and random payloads, and remembers where a field only claims a length. */
import type { SeededRandom } from '../../../../harness/seeded-random.ts';

export interface Claim {
  readonly at: number;
  readonly bytes: number;
}

/** A file that decoders play for `seconds`. */
export interface AudioFile {
  readonly format: string;
  readonly bytes: Uint8Array;
  readonly seconds: number;
  /** The longest of its packets, by which measuring may be wrong. */
  readonly packetSeconds: number;
  readonly claims: readonly Claim[];
}

export class ByteWriter {
  readonly #bytes: number[] = [];
  readonly claims: Claim[] = [];

  get length(): number {
    return this.#bytes.length;
  }

  toBytes(): Uint8Array {
    return Uint8Array.from(this.#bytes);
  }

  text(text: string): this {
    for (const character of text) this.#bytes.push(character.charCodeAt(0));
    return this;
  }

  raw(bytes: Iterable<number>): this {
    for (const byte of bytes) this.#bytes.push(byte);
    return this;
  }

  big(value: number, bytes: number): this {
    for (let place = bytes - 1; place >= 0; place -= 1) this.#bytes.push(Math.floor(value / 256 ** place) % 256);
    return this;
  }

  little(value: number, bytes: number): this {
    for (let place = 0; place < bytes; place += 1) this.#bytes.push(Math.floor(value / 256 ** place) % 256);
    return this;
  }

  /** Marks the last bytes. */
  claim(bytes: number): this {
    this.claims.push({ at: this.length - bytes, bytes });
    return this;
  }

  append(part: ByteWriter): this {
    for (const { at, bytes } of part.claims) this.claims.push({ at: at + this.length, bytes });
    return this.raw(part.toBytes());
  }

  random(random: SeededRandom, bytes: number): this {
    for (let left = bytes; left > 0; left -= 1) this.#bytes.push(random.integer(0, 254));
    return this;
  }
}

/** Bits from the lowest, as Vorbis has them. */
export class BitWriter {
  readonly #bits: number[] = [];

  write(value: number, bits: number): this {
    for (let place = 0; place < bits; place += 1) this.#bits.push(Math.floor(value / 2 ** place) % 2);
    return this;
  }

  toBytes(): Uint8Array {
    const bytes = new Uint8Array(Math.ceil(this.#bits.length / 8));
    for (const [index, bit] of this.#bits.entries())
      bytes[index >> 3] = (bytes[index >> 3] ?? 0) | (bit << (index & 7));
    return bytes;
  }
}
