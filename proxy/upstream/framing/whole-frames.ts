/**
 * Gathers the frames of `application/vnd.amazon.eventstream`:
 * https://docs.aws.amazon.com/AmazonS3/latest/API/RESTSelectObjectAppendix.html. Each begins with a prelude: its
 * length, the length of its headers, and a checksum of both, so a corrupt length is detected immediately. What cannot
 * be a frame is passed on at once, for the translation to refuse, like a line without an end.
 */
import { crc32 } from 'node:zlib';
import { eventMaxCharacters } from '../limits.ts';
import type { Framing } from './framing.ts';

export const preludeBytes = 12;
/** The prelude and the checksum at the end. */
const frameMinBytes = 16;

export class WholeFrames implements Framing {
  #held: Uint8Array[] = [];
  #heldBytes = 0;
  /** Nothing is parsed until there are this many bytes. */
  #neededBytes = preludeBytes;

  take(piece: Uint8Array): Uint8Array | undefined {
    this.#held.push(piece);
    this.#heldBytes += piece.byteLength;
    if (this.#heldBytes < this.#neededBytes) return undefined;
    const bytes = this.#held.length === 1 ? piece : Buffer.concat(this.#held, this.#heldBytes);
    let end = 0;
    this.#neededBytes = preludeBytes;
    while (bytes.byteLength - end >= this.#neededBytes) {
      const length = frameLengthAt(bytes, end) ?? bytes.byteLength - end;
      if (bytes.byteLength - end < length) this.#neededBytes = length;
      else end += length;
    }
    const rest = bytes.subarray(end);
    this.#held = rest.byteLength === 0 ? [] : [rest];
    this.#heldBytes = rest.byteLength;
    return end === 0 ? undefined : bytes.subarray(0, end);
  }
}

/** The length of the frame at `start`; undefined if its prelude is invalid, or the frame too large. */
export function frameLengthAt(bytes: Uint8Array, start: number): number | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset + start, preludeBytes);
  const length = view.getUint32(0);
  const isSound = crc32(bytes.subarray(start, start + 8)) === view.getUint32(8);
  return isSound && length >= frameMinBytes && length <= eventMaxCharacters ? length : undefined;
}
