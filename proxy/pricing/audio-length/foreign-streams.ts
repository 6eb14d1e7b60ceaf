/**
 * Finds streams that a decoder recognises by their content alone, although the file begins as another format. Such a
 * file is longer than the format that it pretends to be: it is not transcribed at all.
 */
import { mpegRun } from './codecs/mpeg.ts';
import { type ByteRange, positionOf, uint16 } from './read-bytes.ts';

/** As much as FFmpeg reads to recognise a format. */
const probedBytes = 1_048_576;
/** MPEG transport streams: packets of one length, each of which begins with this byte. */
const transportSync = 0x47;
const transportPacketBytes = [188, 192, 204] as const;
const transportBlockPackets = 100;
/** FFmpeg needs 60; by chance there are one or two. */
const transportPacketsMax = 30;
/** MPEG program streams. By chance, one in 4,000 files has the start of a pack there. */
const packStart = Uint8Array.of(0, 0, 1, 0xba);
const packsMax = 2;

export function hasForeignStream(bytes: Uint8Array): boolean {
  return transportPacketBytes.some((packetBytes) => hasTransportPackets(bytes, packetBytes)) || hasPacks(bytes);
}

function hasTransportPackets(bytes: Uint8Array, packetBytes: number): boolean {
  const end = Math.min(probedBytes, bytes.byteLength);
  const counts = new Uint8Array(packetBytes);
  for (let block = 0; block < end; block += packetBytes * transportBlockPackets) {
    counts.fill(0);
    const blockEnd = Math.min(end, block + packetBytes * transportBlockPackets);
    for (let at = block; at < blockEnd; at += 1) {
      if (bytes[at] !== transportSync) continue;
      const phase = (at - block) % packetBytes;
      counts[phase] = (counts[phase] ?? 0) + 1;
    }
    // Where the byte is frequent at many phases, it is a constant signal.
    const isFrequent = counts.some((count) => count > transportPacketsMax);
    if (isFrequent && counts.filter((count) => count > 10).length < 10) return true;
  }
  return false;
}

function hasPacks(bytes: Uint8Array): boolean {
  return countOf(bytes.subarray(0, probedBytes), packStart) > packsMax;
}

/** How many bytes of the samples in a WAV file FFmpeg probes, and some more. */
const probedSampleBytes = 1_048_576;
const runFrames = 8;
const firstRunFrames = 3;
/** The longest of the headers that are read here. */
const headerBytes = 7;
/** DTS in its four forms, TrueHD, and bursts of compressed data as in S/PDIF. */
const syncWords = ['7ffe8001', 'fe7f0180', '1fffe800', 'ff1f00e8', 'f8726fba', '72f81f4e'].map((word) =>
  Uint8Array.from(Buffer.from(word, 'hex')),
);
const syncWordsMax = 3;
/** AC-3, in kbit/s. */
const bitRates = [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 448, 512, 576, 640] as const;

/**
 * Whether 16-bit samples are really frames of a codec. FFmpeg plays those as what they are, and then a file of 30 seconds
 * can be hours. It needs three frames at the start or a hundred later; there are never eight of them by chance.
 */
export function hasFramesInSamples({ bytes, from }: Omit<ByteRange, 'to'>): boolean {
  const samples = bytes.subarray(from, from + probedSampleBytes);
  if (syncWords.some((word) => countOf(samples, word) > syncWordsMax)) return true;
  for (let at = 0; at < samples.byteLength; at += 1) {
    const first = samples[at];
    if (first !== 0xff && first !== 0x0b && first !== 0x56) continue;
    const frames = at === 0 ? firstRunFrames : runFrames;
    if (mpegRun(samples, { from: at, framesMax: frames }).frames === frames) return true;
    if (isRun(samples, { from: at, frames })) return true;
  }
  return false;
}

function countOf(bytes: Uint8Array, word: Uint8Array): number {
  let count = 0;
  for (let at = positionOf(bytes, word, 0); at >= 0; at = positionOf(bytes, word, at + 1)) count += 1;
  return count;
}

function isRun(bytes: Uint8Array, { from, frames }: { from: number; frames: number }): boolean {
  let at = from;
  for (let left = frames; left > 0; left -= 1) {
    const length = frameBytes(bytes, at);
    if (length < headerBytes) return false;
    at += length;
  }
  return true;
}

/** The length of the frame of AAC (in ADTS or LOAS), AC-3 or E-AC-3; 0 if there is none. */
function frameBytes(bytes: Uint8Array, at: number): number {
  const sync = uint16(bytes, at);
  const third = bytes[at + 2] ?? 0;
  if ((sync & 0xfff6) === 0xfff0 && ((third >> 2) & 0xf) < 13) {
    return (((bytes[at + 3] ?? 0) & 3) << 11) | (uint16(bytes, at + 4) >> 5);
  }
  if (sync >> 5 === 0x2b7) return 3 + (((sync & 0x1f) << 8) | third);
  if (sync !== 0x0b77) return 0;
  if ((bytes[at + 5] ?? 0) >> 3 > 10) return 2 * ((uint16(bytes, at + 2) & 0x7ff) + 1);
  const code = bytes[at + 4] ?? 0;
  const kilobits = bitRates[(code & 0x3f) >> 1] ?? 0;
  if (code >> 6 === 0) return kilobits * 4;
  return code >> 6 === 1 ? 2 * (Math.floor((kilobits * 320) / 147) + (code & 1)) : kilobits * 6;
}
