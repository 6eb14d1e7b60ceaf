/** How long a decoder's output for a packet can be, for each codec that a container names. */
import type { ByteRange } from '../read-bytes.ts';

export interface Codec {
  /** What every packet has at most, whatever is in it; undefined if it depends on the packet. */
  readonly secondsPerPacket: number | undefined;
  secondsOf(packet: ByteRange): number;
}

/**
 * No codec for speech needs fewer: AMR's packets without data are 50 bytes a second, Speex in silence 31, the smallest
 * AAC frames at 7,350 Hz 29.
 */
export const bytesPerSecondMin = 25;
/** The largest packet of a codec that compresses well: 65,536 samples of telephone quality. */
const packetSecondsMax = 65_536 / 8_000;

/** For codecs without a bound of their own. */
export const unknownCodec: Codec = {
  secondsPerPacket: undefined,
  secondsOf: ({ from, to }) => packetSecondsMax + Math.max(0, to - from) / bytesPerSecondMin,
};

export function fixedCodec(secondsPerPacket: number): Codec {
  return { secondsPerPacket, secondsOf: () => secondsPerPacket };
}

export function pcmCodec({ bytesPerSecond }: { bytesPerSecond: number }): Codec {
  return { secondsPerPacket: undefined, secondsOf: ({ from, to }) => Math.max(0, to - from) / bytesPerSecond };
}

/** For a track whose packets may be of any of these. */
export function longestCodec(codecs: readonly Codec[]): Codec {
  const [first, ...others] = codecs;
  if (first === undefined) return unknownCodec;
  if (others.length === 0) return first;
  const fixed = codecs.map(({ secondsPerPacket }) => secondsPerPacket).filter((seconds) => seconds !== undefined);
  return {
    secondsPerPacket: fixed.length === codecs.length ? Math.max(...fixed) : undefined,
    secondsOf: (packet) => Math.max(...codecs.map((codec) => codec.secondsOf(packet))),
  };
}
