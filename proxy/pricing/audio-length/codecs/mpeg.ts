/**
 * MPEG audio (MP3), layers I to III of MPEG 1, 2 and 2.5: a sequence of frames, each of which begins with the header that
 * says how many bytes and samples it has. Nothing else is read, above all no count in a Xing, Info or VBRI header.
 *
 * After the end of a frame, a decoder looks for the next header, so each header counts wherever it is. Where a frame is
 * not followed by another, its own header may be a coincidence that hides the real ones, so the search continues within
 * it. Both make the result longer than a decoder's, never shorter.
 */
import type { ByteRange } from '../read-bytes.ts';
import type { Codec } from './codec.ts';

const headerBytes = 4;
/** By the bit rate's index, in kbit/s. */
const bitRates = {
  firstLayer1: [0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
  firstLayer2: [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
  firstLayer3: [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  secondLayer1: [0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
  secondLayer23: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
} as const;
/** Of MPEG 1. MPEG 2 halves, and MPEG 2.5 quarters them. */
const sampleRates = [44_100, 48_000, 32_000] as const;

/** By the 11 bits from the version to the padding; a length of 0 is an invalid header. */
const lengths = new Uint16Array(2 ** 11);
const durations = new Float64Array(2 ** 11);
for (let bits = 0; bits < 2 ** 11; bits += 1) describeHeader(bits);

export const mpegCodec: Codec = { secondsPerPacket: undefined, secondsOf: mpegSeconds };

/** Takes time linear in the range. */
export function mpegSeconds({ bytes, from, to }: ByteRange): number {
  const end = Math.min(to, bytes.byteLength);
  let seconds = 0;
  let at = from;
  while (at + headerBytes <= end) {
    const bits = headerAt(bytes, at);
    const length = lengths[bits] ?? 0;
    if (length === 0) {
      at += 1;
      continue;
    }
    seconds += durations[bits] ?? 0;
    const next = at + length;
    at = next + headerBytes > end || lengths[headerAt(bytes, next)] !== 0 ? next : at + 1;
  }
  return seconds;
}

/** How many frames follow each other at `from`, up to `framesMax`, and whether the last of them reaches the end. */
export function mpegRun(
  bytes: Uint8Array,
  { from, framesMax }: { from: number; framesMax: number },
): { frames: number; end: number } {
  let end = from;
  let frames = 0;
  while (frames < framesMax && end + headerBytes <= bytes.byteLength) {
    const length = lengths[headerAt(bytes, end)] ?? 0;
    if (length <= headerBytes) break;
    frames += 1;
    end += length;
  }
  return { frames, end };
}

/** 0, the index of an invalid header, if there are not the eleven bits that each begins with. */
function headerAt(bytes: Uint8Array, at: number): number {
  const second = bytes[at + 1] ?? 0;
  if (bytes[at] !== 0xff || (second & 0xe0) !== 0xe0) return 0;
  return (((second >> 1) & 0xf) << 7) | ((bytes[at + 2] ?? 0) >> 1);
}

function describeHeader(bits: number): void {
  const [version, layer] = [bits >> 9, 4 - ((bits >> 7) & 3)];
  const [rateIndex, sampleIndex, padding] = [(bits >> 3) & 0xf, (bits >> 1) & 3, bits & 1];
  const isFirst = version === 3;
  const sampleRate = (sampleRates[sampleIndex] ?? 0) / (isFirst ? 1 : version === 2 ? 2 : 4);
  const kilobits = bitRatesOf(isFirst, layer)[rateIndex];
  if (version === 1 || layer === 4 || sampleRate === 0 || kilobits === undefined) return;
  const samples = layer === 1 ? 384 : layer === 3 && !isFirst ? 576 : 1_152;
  durations[bits] = samples / sampleRate;
  // In the free format, only the encoder knows the length. At least the header is not part of the next frame.
  if (kilobits === 0) lengths[bits] = headerBytes;
  else if (layer === 1) lengths[bits] = (Math.floor((12_000 * kilobits) / sampleRate) + padding) * 4;
  else lengths[bits] = Math.floor(((samples / 8) * 1_000 * kilobits) / sampleRate) + padding;
}

function bitRatesOf(isFirst: boolean, layer: number): readonly number[] {
  if (!isFirst) return layer === 1 ? bitRates.secondLayer1 : bitRates.secondLayer23;
  if (layer === 1) return bitRates.firstLayer1;
  return layer === 2 ? bitRates.firstLayer2 : bitRates.firstLayer3;
}
