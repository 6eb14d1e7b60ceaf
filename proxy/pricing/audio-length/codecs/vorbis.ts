/**
 * Vorbis (https://xiph.org/vorbis/doc/Vorbis_I_spec.html#x1-580004.2): a packet's first bits are the number of its mode,
 * and the setup header says which modes have long blocks. A block overlaps with half of each neighbour, so that it adds
 * half of its size. The modes are at the end of the setup header, which a decoder can only find by reading all of it: to
 * search them from the end, as some tools do, would find others that follow the real ones.
 */
import { BitReader, type ByteRange, hasText, uint32Little } from '../read-bytes.ts';
import type { Codec } from './codec.ts';

const codebookSync = 0x56_43_42;
const codewordBitsMax = 32;

/** If the setup header cannot be read, all blocks are long. */
export function vorbisCodec({ identification, setup }: { identification: Uint8Array; setup: Uint8Array }): Codec {
  const [short, long] = blockSeconds(identification);
  const modes = readModes(setup, identification[11] ?? 0);
  const modeMask = modes === undefined ? 0 : 2 ** bitsOf(modes.length - 1) - 1;
  const secondsOf = ({ bytes, from, to }: ByteRange) => {
    const first = to > from ? (bytes[from] ?? 0) : 0;
    const isShort = modes?.[(first >> 1) & modeMask] === false;
    return isShort ? Math.min(short, long) : Math.max(short, long);
  };
  return { secondsPerPacket: undefined, secondsOf };
}

/** What a block adds, whatever its mode is. */
export function longestBlockSeconds(identification: Uint8Array): number {
  return Math.max(...blockSeconds(identification));
}

/** Whether the packet is the identification (1), the comment (3) or the setup header (5). */
export function isVorbisHeader({ bytes, from }: Omit<ByteRange, 'to'>, kind: 1 | 3 | 5): boolean {
  return bytes[from] === kind && hasText(bytes, from + 1, 'vorbis');
}

/** Of the short blocks, and of the long ones. */
function blockSeconds(identification: Uint8Array): [number, number] {
  const rate = Math.max(1, uint32Little(identification, 12));
  const sizes = identification[28] ?? 0;
  return [2 ** (sizes & 0xf) / 2 / rate, 2 ** (sizes >> 4) / 2 / rate];
}

/** For each mode, whether its blocks are long; undefined if the header is invalid. */
function readModes(setup: Uint8Array, channels: number): boolean[] | undefined {
  const reader = new BitReader(setup, { from: 7, order: 'lowFirst' });
  for (let left = reader.read(8) + 1; left > 0; left -= 1) if (!skipCodebook(reader)) return undefined;
  reader.skip(16 * (reader.read(6) + 1));
  for (let left = reader.read(6) + 1; left > 0; left -= 1) if (!skipFloor(reader)) return undefined;
  for (let left = reader.read(6) + 1; left > 0; left -= 1) skipResidue(reader);
  for (let left = reader.read(6) + 1; left > 0; left -= 1) skipMapping(reader, channels);
  const modes = Array.from({ length: reader.read(6) + 1 }, () => {
    const isLong = reader.read(1) === 1;
    reader.skip(16 + 16 + 8);
    return isLong;
  });
  return reader.isAtEnd ? undefined : modes;
}

function skipCodebook(reader: BitReader): boolean {
  if (reader.read(24) !== codebookSync) return false;
  const dimensions = reader.read(16);
  const entries = reader.read(24);
  const isOrdered = reader.read(1) === 1;
  if (isOrdered ? !skipOrderedLengths(reader, entries) : !skipLengths(reader, entries)) return false;
  const lookup = reader.read(4);
  if (lookup > 2) return false;
  if (lookup === 0) return true;
  reader.skip(32 + 32);
  const valueBits = reader.read(4) + 1;
  reader.skip(1);
  reader.skip(valueBits * (lookup === 1 ? rootOf(entries, dimensions) : entries * dimensions));
  return true;
}

function skipLengths(reader: BitReader, entries: number): boolean {
  const isSparse = reader.read(1) === 1;
  if (!isSparse) reader.skip(5 * entries);
  for (let left = isSparse ? entries : 0; left > 0 && !reader.isAtEnd; left -= 1) {
    if (reader.read(1) === 1) reader.skip(5);
  }
  return !reader.isAtEnd;
}

function skipOrderedLengths(reader: BitReader, entries: number): boolean {
  let left = entries;
  for (let bits = reader.read(5) + 1; left > 0 && bits <= codewordBitsMax; bits += 1) left -= reader.read(bitsOf(left));
  return left === 0;
}

function skipFloor(reader: BitReader): boolean {
  const type = reader.read(16);
  if (type === 0) {
    reader.skip(8 + 16 + 16 + 6 + 8);
    reader.skip(8 * (reader.read(4) + 1));
    return true;
  }
  if (type !== 1) return false;
  const classes = Array.from({ length: reader.read(5) }, () => reader.read(4));
  const dimensions = Array.from({ length: Math.max(-1, ...classes) + 1 }, () => {
    const dimension = reader.read(3) + 1;
    const subclassBits = reader.read(2);
    if (subclassBits > 0) reader.skip(8);
    reader.skip(8 * 2 ** subclassBits);
    return dimension;
  });
  reader.skip(2);
  const rangeBits = reader.read(4);
  for (const index of classes) reader.skip(rangeBits * (dimensions[index] ?? 0));
  return true;
}

function skipResidue(reader: BitReader): void {
  reader.skip(16 + 24 + 24 + 24);
  const classifications = reader.read(6) + 1;
  reader.skip(8);
  let books = 0;
  for (let left = classifications; left > 0; left -= 1) {
    const low = reader.read(3);
    const high = reader.read(1) === 1 ? reader.read(5) : 0;
    for (let bits = high * 8 + low; bits > 0; bits >>= 1) books += bits & 1;
  }
  reader.skip(8 * books);
}

function skipMapping(reader: BitReader, channels: number): void {
  reader.skip(16);
  const submaps = reader.read(1) === 1 ? reader.read(4) + 1 : 1;
  const couplings = reader.read(1) === 1 ? reader.read(8) + 1 : 0;
  reader.skip(couplings * 2 * bitsOf(channels - 1));
  reader.skip(2);
  if (submaps > 1) reader.skip(4 * channels);
  reader.skip(submaps * (8 + 8 + 8));
}

/** How many bits a number has. */
function bitsOf(value: number): number {
  return value <= 0 ? 0 : 32 - Math.clz32(value);
}

/** The largest whole number that, to the power of the dimensions, is not above the entries. */
function rootOf(entries: number, dimensions: number): number {
  if (dimensions === 0) return 0;
  let root = Math.floor(entries ** (1 / dimensions));
  while ((root + 1) ** dimensions <= entries) root += 1;
  while (root ** dimensions > entries) root -= 1;
  return root;
}
