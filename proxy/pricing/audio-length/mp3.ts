/**
 * MP3 files: frames of MPEG audio without a container. Only a file that begins with them is one, since a decoder takes
 * any other beginning as a sign of another format. What follows may be damaged, or be tags: they are searched for frames
 * like a decoder does it.
 */
import { mpegRun, mpegSeconds } from './codecs/mpeg.ts';

/** FFmpeg is sure after seven. A shorter file has to consist of frames. */
const framesMin = 7;

export function isMp3(bytes: Uint8Array, start: number): boolean {
  const { frames, end } = mpegRun(bytes, { from: afterZeros(bytes, start), framesMax: framesMin });
  return frames === framesMin || (frames > 0 && end >= bytes.byteLength);
}

export function mp3Seconds(bytes: Uint8Array, start: number): number {
  return mpegSeconds({ bytes, from: start, to: bytes.byteLength });
}

function afterZeros(bytes: Uint8Array, start: number): number {
  let at = start;
  while (bytes[at] === 0) at += 1;
  return at;
}
