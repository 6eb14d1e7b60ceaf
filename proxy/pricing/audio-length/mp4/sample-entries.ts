/** The sample entries of an MP4 track, which say what codec its samples have (ISO/IEC 14496-12, 8.5.2). */

import { aacCodec } from '../codecs/aac.ts';
import { type Codec, fixedCodec, longestCodec, unknownCodec } from '../codecs/codec.ts';
import { flacCodec } from '../codecs/flac.ts';
import { mpegCodec } from '../codecs/mpeg.ts';
import { opusCodec } from '../codecs/opus.ts';
import { longestBlockSeconds } from '../codecs/vorbis.ts';
import { type ByteRange, hasText, positionOf, uint16, uint32 } from '../read-bytes.ts';
import { nameAt } from './boxes.ts';

const aacTypes = [0x40, 0x66, 0x67, 0x68];
const mpegTypes = [0x69, 0x6b];
const vorbisType = 0xdd;
/** The bytes of a sample of uncompressed audio, by the name of its entry. */
const sampleBytes: Readonly<Record<string, number>> = {
  ...{ 'raw ': 1, ulaw: 1, alaw: 1, sowt: 2, twos: 2, in24: 3, in32: 4, fl32: 4, fl64: 8 },
};
const compressed = [
  'mp4a',
  'Opus',
  'fLaC',
  'alac',
  '.mp3',
  'ms\0\x55',
  'ac-3',
  'ec-3',
  'ac-4',
  'samr',
  'sawb',
  'ima4',
  'lpcm',
];
const entriesMax = 16;
const entryHeaderBytes = 36;

/** Of PCM, how long the samples of the table are that are counted one by one, and the bytes of a second. */
export interface Pcm {
  readonly secondsPerSample: number;
  readonly bytesPerSecond: number;
}

export interface SampleEntries {
  readonly isAudio: boolean;
  readonly codec: Codec;
  /** Undefined if the samples are compressed. */
  readonly pcm: Pcm | undefined;
}

/** Undefined if there are more entries than any file has. */
export function readSampleEntries({ bytes, from, to }: ByteRange): SampleEntries | undefined {
  const codecs: Codec[] = [];
  const pcms: Pcm[] = [];
  let isAudio = false;
  let at = from + 8;
  while (at + 8 <= Math.min(to, bytes.byteLength)) {
    const size = uint32(bytes, at);
    if (size < 8 || codecs.length > entriesMax) return undefined;
    const entry = { bytes, from: at, to: Math.min(at + size, to) };
    const name = nameAt(bytes, at + 4);
    const pcm = pcmOf(entry, name);
    if (pcm !== undefined) pcms.push(pcm);
    codecs.push(codecOf(entry, name));
    isAudio ||= pcm !== undefined || compressed.includes(name);
    at += size;
  }
  const isPcm = pcms.length > 0 && pcms.length === codecs.length;
  const pcm = isPcm
    ? {
        secondsPerSample: Math.max(...pcms.map(({ secondsPerSample }) => secondsPerSample)),
        bytesPerSecond: Math.min(...pcms.map(({ bytesPerSecond }) => bytesPerSecond)),
      }
    : undefined;
  return { isAudio, codec: longestCodec(codecs), pcm };
}

function pcmOf({ bytes, from }: ByteRange, name: string): Pcm | undefined {
  const named = sampleBytes[name];
  if (named === undefined) return undefined;
  const rate = Math.max(1, uint16(bytes, from + 32));
  // These names have samples of two sizes. Those of the others are in the name, whatever the entry says.
  const isOfTwo = name === 'sowt' || name === 'twos';
  const written = isOfTwo ? Math.ceil(uint16(bytes, from + 26) / 8) || named : named;
  const frameBytes = Math.max(1, uint16(bytes, from + 24)) * Math.min(named, written);
  return { secondsPerSample: 1 / rate, bytesPerSecond: rate * frameBytes };
}

function codecOf(entry: ByteRange, name: string): Codec {
  const { bytes, to } = entry;
  if (name === 'Opus') return opusCodec;
  if (name === '.mp3' || name === 'ms\0\x55') return mpegCodec;
  if (name === 'mp4a')
    return longestCodec(contentsOf(entry, 'esds').map((at) => describedCodec({ bytes, from: at + 4, to })));
  if (name === 'alac') return longestCodec(contentsOf(entry, 'alac').map((at) => alacCodec(entry, at + 4)));
  if (name === 'fLaC') {
    const [info] = contentsOf(entry, 'dfLa');
    return info === undefined ? unknownCodec : flacCodec({ bytes, streamInfo: info + 8 });
  }
  return unknownCodec;
}

/** Where the contents of all boxes of this name begin, however deep they are in the entry; 16 at most. */
function contentsOf({ bytes, from, to }: ByteRange, name: string): number[] {
  const entry = bytes.subarray(from + entryHeaderBytes, to);
  const wanted = Uint8Array.from(Buffer.from(name));
  const found: number[] = [];
  for (let at = positionOf(entry, wanted, 0); at >= 0; at = positionOf(entry, wanted, at + 1)) {
    found.push(from + entryHeaderBytes + at + 4);
    if (found.length === entriesMax) break;
  }
  return found;
}

/** By an elementary stream descriptor (ISO/IEC 14496-1, 7.2.6.5). */
function describedCodec({ bytes, from, to }: ByteRange): Codec {
  let at = from;
  if (bytes[at] === 3) {
    at = skipLength(bytes, at + 1);
    const flags = bytes[at + 2] ?? 0;
    at += 3 + (flags & 0x80 ? 2 : 0);
    if (flags & 0x40) at += 1 + (bytes[at] ?? 0);
    if (flags & 0x20) at += 2;
  } else {
    at = skipLength(bytes, at + 1) + 2;
  }
  if (bytes[at] !== 4) return unknownCodec;
  at = skipLength(bytes, at + 1);
  const type = bytes[at] ?? 0;
  if (mpegTypes.includes(type)) return mpegCodec;
  at += 13;
  if (bytes[at] !== 5) return unknownCodec;
  at = skipLength(bytes, at + 1);
  if (at >= to) return unknownCodec;
  if (aacTypes.includes(type)) return aacCodec({ bytes, from: at });
  return type === vorbisType ? vorbisCodecIn({ bytes, from: at, to }) : unknownCodec;
}

/** The identification header is the first of the three, which are stored in different ways. */
function vorbisCodecIn({ bytes, from, to }: ByteRange): Codec {
  const setup = bytes.subarray(from, to);
  const found = positionOf(setup, Uint8Array.from(Buffer.from('\x01vorbis')), 0);
  return found < 0 ? unknownCodec : fixedCodec(longestBlockSeconds(setup.subarray(found, found + 30)));
}

/** A length of up to four bytes, of which the last has its highest bit unset. */
function skipLength(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < from + 3 && (bytes[at] ?? 0) & 0x80) at += 1;
  return at + 1;
}

/** The frame's length and the rate of https://github.com/macosforge/alac/blob/master/ALACMagicCookieDescription.txt. */
function alacCodec({ bytes, from }: ByteRange, cookie: number): Codec {
  const rates = [uint32(bytes, cookie + 20), uint16(bytes, from + 32)].filter((rate) => rate > 0);
  return fixedCodec(uint32(bytes, cookie) / Math.min(...rates, Number.MAX_SAFE_INTEGER));
}

/** Whether it names sound, as a track's handler. */
export function isSoundHandler(bytes: Uint8Array, from: number): boolean {
  return hasText(bytes, from + 8, 'soun');
}
