/**
 * Byte-pair encoding of one word: its adjacent parts are merged, the pair with the lowest rank first, until no pair is in
 * the vocabulary. Quadratic in the word's length, which is limited.
 */
import { hashPrefixes, rangeBytesMax, type Vocabulary } from './vocabulary.ts';

const never = 0x7fffffff;
/** Work space for one call at a time. A part begins at its index and ends where the next one begins. */
const prefixes = new Int32Array(rangeBytesMax + 1);
const next = new Int32Array(rangeBytesMax + 1);
const previous = new Int32Array(rangeBytesMax + 1);
/** The rank of each part merged with the next one. */
const ranks = new Int32Array(rangeBytesMax + 1);

/** The tokens of the first `length` bytes, at most `rangeBytesMax`. */
export function countTokens(vocabulary: Vocabulary, bytes: Uint8Array, length: number): number {
  if (length < 2) return length;
  hashPrefixes(bytes, length, prefixes);
  if (vocabulary.rankOf(bytes, prefixes, 0, length) >= 0) return 1;
  return merge(vocabulary, bytes, length);
}

/** Counts the tokens at the beginning of a very long word, up to the first that ends in its last third. */
export function countHead(vocabulary: Vocabulary, bytes: Uint8Array, length: number): { tokens: number; end: number } {
  hashPrefixes(bytes, length, prefixes);
  merge(vocabulary, bytes, length);
  let tokens = 0;
  let end = 0;
  while (end < (length * 2) / 3) {
    end = next[end] ?? length;
    tokens += 1;
  }
  return { tokens, end };
}

function merge(vocabulary: Vocabulary, bytes: Uint8Array, length: number): number {
  for (let index = 0; index < length; index += 1) {
    next[index] = index + 1;
    previous[index] = index - 1;
    ranks[index] = index + 2 <= length ? known(vocabulary.rankOfPair(bytes[index] ?? 0, bytes[index + 1] ?? 0)) : never;
  }
  for (let parts = length; ; parts -= 1) {
    const part = lowestPart(length);
    if (part < 0) return parts;
    const end = next[next[part] ?? length] ?? length;
    next[part] = end;
    if (end < length) previous[end] = part;
    ranks[part] = end < length ? known(vocabulary.rankOf(bytes, prefixes, part, next[end] ?? length)) : never;
    const before = previous[part] ?? -1;
    if (before >= 0) ranks[before] = known(vocabulary.rankOf(bytes, prefixes, before, end));
  }
}

function known(rank: number): number {
  return rank < 0 ? never : rank;
}

/** The part whose merge with the next one has the lowest rank, or -1. */
function lowestPart(length: number): number {
  let lowest = never;
  let found = -1;
  for (let part = 0; part < length; part = next[part] ?? length) {
    const rank = ranks[part] ?? never;
    if (rank >= lowest) continue;
    lowest = rank;
    found = part;
  }
  return found;
}
