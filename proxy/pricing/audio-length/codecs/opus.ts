/** Opus: the first byte of a packet says how long its frames are (https://www.rfc-editor.org/rfc/rfc6716#section-3.1). */
import type { ByteRange } from '../read-bytes.ts';
import type { Codec } from './codec.ts';

/** A longer packet is invalid. */
const packetMillisecondsMax = 120;
const silkMilliseconds = [10, 20, 40, 60] as const;
const hybridMilliseconds = [10, 20] as const;
const celtMilliseconds = [2.5, 5, 10, 20] as const;

/** Also for several streams in a packet, all of which have the same length. */
export const opusCodec: Codec = { secondsPerPacket: undefined, secondsOf };

function secondsOf({ bytes, from, to }: ByteRange): number {
  const first = bytes[from];
  if (first === undefined) return 0;
  if (to <= from) return packetMillisecondsMax / 1_000;
  const milliseconds = frameMilliseconds(first >> 3) * framesIn(first & 3, bytes[from + 1] ?? 0);
  return Math.min(packetMillisecondsMax, milliseconds) / 1_000;
}

function frameMilliseconds(configuration: number): number {
  if (configuration < 12) return silkMilliseconds[configuration % 4] ?? 0;
  if (configuration < 16) return hybridMilliseconds[configuration % 2] ?? 0;
  return celtMilliseconds[configuration % 4] ?? 0;
}

function framesIn(code: number, second: number): number {
  if (code === 0) return 1;
  return code === 3 ? second & 0x3f : 2;
}
