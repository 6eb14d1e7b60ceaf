/**
 * The byte sequences of o200k_base, the encoding of current OpenAI models, each with its rank: the order in which a
 * tokenizer merges them. Read from the data of the package gpt-tokenizer, whose own tokenizer is not used here because it
 * is quadratic in the length of a run and keeps 200,000 strings for the garbage collector to walk. Here they are a hash
 * table in typed arrays, 5 MB in total.
 */
import { readFileSync } from 'node:fs';
import path from 'gpt-tokenizer/data/o200k_base.tiktoken' with { type: 'file' };

/** The longest range of bytes that can be looked up. */
export const rangeBytesMax = 288;
/** A prime near 2^32 / φ. */
const base = 0x9e3779b1;
/** More than two slots for each token. */
const slotBits = 19;
const empty = -1;
const tokensMax = 1 << 18;

/** `powers[n]` is `base` to the power of n, in 32 bits. */
const powers = new Int32Array(rangeBytesMax + 1).fill(1);
for (let index = 1; index < powers.length; index += 1) powers[index] = Math.imul(powers[index - 1] ?? 1, base);

export class Vocabulary {
  /** The rank and the hash of a token in each slot. */
  readonly #slots = new Int32Array(2 << slotBits).fill(empty);
  /** Ranks of tokens of two bytes, with which every merge begins. */
  readonly #pairs = new Int32Array(1 << 16).fill(empty);
  readonly #ends: Uint32Array;
  readonly #bytes: Uint8Array;

  /** `tokens` are all byte sequences, one after another, in the order of their ranks; each ends at its `ends`. */
  constructor(tokens: Uint8Array, ends: Uint32Array) {
    this.#bytes = tokens;
    this.#ends = ends;
    let start = 0;
    for (let rank = 0; rank < ends.length; rank += 1) {
      const end = ends[rank] ?? start;
      if (end - start === 2) this.#pairs[((tokens[start] ?? 0) << 8) | (tokens[start + 1] ?? 0)] = rank;
      const hash = hashOf(tokens, start, end);
      let slot = slotOf(hash);
      while (this.#slots[slot] !== empty) slot = nextSlot(slot);
      this.#slots[slot] = rank;
      this.#slots[slot + 1] = hash;
      start = end;
    }
  }

  rankOfPair(first: number, second: number): number {
    return this.#pairs[(first << 8) | second] ?? empty;
  }

  /** The rank of these bytes, or -1. `prefixes` are the prefix hashes of `bytes`, see `hashPrefixes`. */
  rankOf(bytes: Uint8Array, prefixes: Int32Array, start: number, end: number): number {
    const length = end - start;
    const hash = ((prefixes[end] ?? 0) - Math.imul(prefixes[start] ?? 0, powers[length] ?? 0)) | 0;
    for (let slot = slotOf(hash); ; slot = nextSlot(slot)) {
      const rank = this.#slots[slot] ?? empty;
      if (rank === empty) return empty;
      if (this.#slots[slot + 1] === hash && this.#equals(rank, bytes, start, length)) return rank;
    }
  }

  #equals(rank: number, bytes: Uint8Array, start: number, length: number): boolean {
    const begin = rank === 0 ? 0 : (this.#ends[rank - 1] ?? 0);
    if ((this.#ends[rank] ?? 0) - begin !== length) return false;
    for (let index = 0; index < length; index += 1) {
      if (this.#bytes[begin + index] !== bytes[start + index]) return false;
    }
    return true;
  }
}

/** `prefixes[n]` becomes the hash of the first n bytes, from which that of every range follows. */
export function hashPrefixes(bytes: Uint8Array, length: number, prefixes: Int32Array): void {
  let hash = 0;
  prefixes[0] = 0;
  for (let index = 0; index < length; index += 1) {
    hash = (Math.imul(hash, base) + (bytes[index] ?? 0) + 1) | 0;
    prefixes[index + 1] = hash;
  }
}

function hashOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = 0;
  for (let index = start; index < end; index += 1) hash = (Math.imul(hash, base) + (bytes[index] ?? 0) + 1) | 0;
  return hash;
}

function slotOf(hash: number): number {
  return (Math.imul(hash ^ (hash >>> 15), 0x85ebca6b) >>> (32 - slotBits)) << 1;
}

function nextSlot(slot: number): number {
  return (slot + 2) & ((2 << slotBits) - 1);
}

let loaded: Vocabulary | undefined;

/** Takes a tenth of a second the first time. */
export function loadVocabulary(): Vocabulary {
  loaded ??= readVocabulary();
  return loaded;
}

/** Reads a line `<base64> <rank>` per token, in the order of their ranks. */
function readVocabulary(): Vocabulary {
  const file = readFileSync(path);
  const tokens = new Uint8Array(file.length);
  const ends = new Uint32Array(tokensMax);
  let [count, length] = [0, 0];
  for (let start = 0; start < file.length; ) {
    const space = file.indexOf(0x20, start);
    if (space < 0) break;
    length = decodeBase64(file, { start, end: space, into: tokens, at: length });
    ends[count] = length;
    count += 1;
    const lineEnd = file.indexOf(0x0a, space);
    start = lineEnd < 0 ? file.length : lineEnd + 1;
  }
  return new Vocabulary(tokens.slice(0, length), ends.slice(0, count));
}

const sextets = new Uint8Array(128);
for (const [value, letter] of [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'].entries()) {
  sextets[letter.charCodeAt(0)] = value;
}

/** Returns the position after the decoded bytes. */
function decodeBase64(
  file: Uint8Array,
  { start, end, into, at }: { start: number; end: number; into: Uint8Array; at: number },
): number {
  let [bits, held, position] = [0, 0, at];
  for (let index = start; index < end && file[index] !== 0x3d; index += 1) {
    held = ((held << 6) | (sextets[file[index] ?? 0] ?? 0)) & 0xfff;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    into[position] = (held >> bits) & 0xff;
    position += 1;
  }
  return position;
}
