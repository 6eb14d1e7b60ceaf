/**
 * FLAC (https://www.rfc-editor.org/rfc/rfc9639#section-9.1): each frame begins with a header that has the number of its
 * samples and a checksum of its own. A decoder discards a frame whose header fails it, so all headers that pass, wherever
 * they are, are all that can be decoded. By chance, one in 25 MB of other data passes too.
 */
import type { ByteRange } from '../read-bytes.ts';
import type { Codec } from './codec.ts';

const blockSizes = [0, 192, 576, 1_152, 2_304, 4_608] as const;
const rates = [0, 88_200, 176_400, 192_000, 8_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 96_000] as const;
const streamInfoRateAt = 10;
const channelsEnd = 11;

const checksums = new Uint8Array(256);
for (let byte = 0; byte < 256; byte += 1) {
  let rest = byte;
  for (let bit = 0; bit < 8; bit += 1) rest = rest & 0x80 ? (rest << 1) ^ 0x107 : rest << 1;
  checksums[byte] = rest;
}

/** `streamInfo` is where its content begins, which has the rate of frames that do not have their own. */
export function flacCodec({ bytes, streamInfo }: { bytes: Uint8Array; streamInfo: number }): Codec {
  const at = streamInfo + streamInfoRateAt;
  const streamRate = (bytes[at] ?? 0) * 0x1000 + (bytes[at + 1] ?? 0) * 0x10 + ((bytes[at + 2] ?? 0) >> 4);
  return { secondsPerPacket: undefined, secondsOf: (packet) => flacSeconds(packet, streamRate) };
}

function flacSeconds({ bytes, from, to }: ByteRange, streamRate: number): number {
  const end = Math.min(to, bytes.byteLength) - 1;
  let seconds = 0;
  for (let at = from; at < end; at += 1) {
    if (bytes[at] === 0xff && ((bytes[at + 1] ?? 0) & 0xfe) === 0xf8) seconds += frameSeconds(bytes, at, streamRate);
  }
  return seconds;
}

/** 0 if there is no valid header. */
function frameSeconds(bytes: Uint8Array, at: number, streamRate: number): number {
  const format = bytes[at + 3] ?? 0;
  const sizeCode = (bytes[at + 2] ?? 0) >> 4;
  const rateCode = (bytes[at + 2] ?? 0) & 0xf;
  if (sizeCode === 0 || rateCode === 15 || format >> 4 >= channelsEnd || (format & 1) !== 0) return 0;
  let end = at + 4 + numberBytes(bytes[at + 4] ?? 0);
  const sizeAt = end;
  if (sizeCode === 6) end += 1;
  if (sizeCode === 7) end += 2;
  const rateAt = end;
  if (rateCode === 12) end += 1;
  if (rateCode > 12) end += 2;
  if (end >= bytes.byteLength || checksumOf(bytes, at, end) !== bytes[end]) return 0;
  const samples = samplesOf(bytes, sizeCode, sizeAt);
  const frameRate = rateOf(bytes, rateCode, rateAt) || streamRate;
  return samples / Math.max(1, Math.min(frameRate, streamRate || frameRate));
}

/** The number of the frame or of its first sample is written like a character in UTF-8, in up to seven bytes. */
function numberBytes(first: number): number {
  const ones = Math.clz32(~(first << 24));
  return Math.max(1, Math.min(7, ones));
}

function checksumOf(bytes: Uint8Array, from: number, to: number): number {
  let checksum = 0;
  for (let at = from; at < to; at += 1) checksum = checksums[checksum ^ (bytes[at] ?? 0)] ?? 0;
  return checksum;
}

function samplesOf(bytes: Uint8Array, code: number, at: number): number {
  if (code === 6) return (bytes[at] ?? 0) + 1;
  if (code === 7) return (bytes[at] ?? 0) * 0x100 + (bytes[at + 1] ?? 0) + 1;
  return code < 6 ? (blockSizes[code] ?? 0) : 2 ** code;
}

function rateOf(bytes: Uint8Array, code: number, at: number): number {
  if (code === 12) return (bytes[at] ?? 0) * 1_000;
  if (code > 12) return ((bytes[at] ?? 0) * 0x100 + (bytes[at + 1] ?? 0)) * (code === 14 ? 10 : 1);
  return rates[code] ?? 0;
}
