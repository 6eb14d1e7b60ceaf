/**
 * AAC: a packet is a frame of at most 1,024 samples at the core's rate. Spectral band replication (HE-AAC) doubles both
 * the samples and the rate, which leaves the time as it is, and the other frame lengths (960, 512, 480) are shorter.
 * A decoder has the rate from the AudioSpecificConfig (ISO/IEC 14496-3, 1.6.2.1), and so has this.
 *
 * One thing is not bounded: FFmpeg plays what follows a frame in its packet as further frames, and only who decodes the
 * first knows where it ends. No encoder writes such packets.
 */
import { BitReader, type ByteRange } from '../read-bytes.ts';
import { type Codec, fixedCodec, unknownCodec } from './codec.ts';

const frameSamples = 1_024;
/** Unified speech and audio coding (xHE-AAC): with replication at 4:1, at the rate of its output. */
const unifiedFrameSamples = 4_096;
const rates = [96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350];
const rateMin = 7_350;
const explicitRate = 15;
/** Main, LC, SSR, LTP, SBR, scalable, error resilient LC, LTP and scalable, low delay, PS, and enhanced low delay. */
const coreTypes = [1, 2, 3, 4, 5, 6, 17, 19, 20, 23, 29, 39];
const unifiedType = 42;

export function aacCodec({ bytes, from }: Omit<ByteRange, 'to'>): Codec {
  const reader = new BitReader(bytes, { from, order: 'highFirst' });
  const short = reader.read(5);
  const type = short === 31 ? 32 + reader.read(6) : short;
  const index = reader.read(4);
  const rate = (index === explicitRate ? reader.read(24) : rates[index]) || rateMin;
  if (type === unifiedType) return fixedCodec(unifiedFrameSamples / rate);
  return coreTypes.includes(type) ? fixedCodec(frameSamples / rate) : unknownCodec;
}
