/**
 * WAV (RIFF, RIFX, RF64 and BW64): its samples are everything from the first `data` chunk to the end of the file. The
 * size of that chunk is only a claim, since decoders play further chunks of samples, and what a recorder has not written
 * into the header.
 */
import { bytesPerSecondMin } from './codecs/codec.ts';
import { mpegSeconds } from './codecs/mpeg.ts';
import { hasFramesInSamples } from './foreign-streams.ts';
import { hasText, uint16, uint16Little, uint32, uint32Little } from './read-bytes.ts';

const riffBytes = 12;
const chunkHeaderBytes = 8;
/** What the codec of a `fmt ` chunk has of samples in a byte at most, by its number. Others have their bits. */
const samplesPerByteMax: Readonly<Record<number, number>> = {
  // The ADPCM of Microsoft, OKI and Yamaha: four bits.
  2: 2,
  16: 2,
  32: 2,
  // GSM 6.10: 320 samples in 65 bytes.
  49: 5,
};
const pcm = 1;
const float = 3;
const aLaw = 6;
const muLaw = 7;
const mpegCodes = [0x50, 0x55];
const extensible = 0xff_fe;
const imaAdpcm = 17;

export function isWav(bytes: Uint8Array, at: number): boolean {
  return ['RIFF', 'RIFX', 'RF64', 'BW64'].some((name) => hasText(bytes, at, name)) && hasText(bytes, at + 8, 'WAVE');
}

/** Undefined if there are no samples, or no format of them. */
export function wavSeconds(bytes: Uint8Array, start: number): number | undefined {
  const isBig = hasText(bytes, start, 'RIFX');
  let format: Format | undefined;
  let at = start + riffBytes;
  while (at + chunkHeaderBytes <= bytes.byteLength) {
    const content = at + chunkHeaderBytes;
    if (hasText(bytes, at, 'data')) return format === undefined ? undefined : samplesSeconds(bytes, content, format);
    const size = isBig ? uint32(bytes, at + 4) : uint32Little(bytes, at + 4);
    if (hasText(bytes, at, 'fmt ')) format ??= readFormat(bytes, { content, size, isBig });
    at = content + size + (size % 2);
  }
  return undefined;
}

interface Format {
  /** Which codec; those of `WAVE_FORMAT_EXTENSIBLE` are in its subformat. */
  readonly code: number;
  readonly samplesPerSecond: number;
  readonly bits: number;
}

function readFormat(
  bytes: Uint8Array,
  { content, size, isBig }: { content: number; size: number; isBig: boolean },
): Format {
  const short = (at: number) => (isBig ? uint16 : uint16Little)(bytes, content + at);
  const rate = (isBig ? uint32 : uint32Little)(bytes, content + 4);
  const samplesPerSecond = Math.max(1, rate) * Math.max(1, short(2));
  // A chunk of 14 bytes does not have the bits.
  const bits = Math.min((size >= 16 && short(14)) || 8, 64);
  if (short(0) !== extensible) return { code: short(0), samplesPerSecond, bits };
  // FFmpeg reads samples of the size that is valid, where that is less.
  return { code: short(24), samplesPerSecond, bits: Math.min(bits, short(18) || bits) };
}

function samplesSeconds(bytes: Uint8Array, from: number, format: Format): number | undefined {
  const { code, samplesPerSecond, bits } = format;
  const size = Math.max(0, bytes.byteLength - from);
  if (code === pcm || code === float) {
    const sampleBytes = Math.ceil(bits / 8);
    if (sampleBytes === 2 && hasFramesInSamples({ bytes, from })) return undefined;
    return size / (samplesPerSecond * sampleBytes);
  }
  if (code === aLaw || code === muLaw) return size / samplesPerSecond;
  if (mpegCodes.includes(code)) return mpegSeconds({ bytes, from, to: bytes.byteLength });
  if (code === imaAdpcm) return (size * 8) / Math.max(2, Math.min(4, bits)) / samplesPerSecond;
  const perByte = samplesPerByteMax[code];
  return perByte === undefined ? size / bytesPerSecondMin : (size * perByte) / samplesPerSecond;
}
