/**
 * Splits a provider's stream into units that a translation can read: lines of text, or binary frames. A translation
 * gets only complete units, so that it does not scan an event again for every chunk that arrives.
 */
import { crc32 } from 'node:zlib';
import { eventMaxCharacters } from '../limits.ts';

export interface Framing {
  /** Everything that is complete now, including what was held back before; undefined if there is nothing. */
  take(chunk: Uint8Array): Uint8Array | undefined;
}

const lineFeed = 10;
const carriageReturn = 13;

/**
 * Joins the chunks of a line. A translation scans everything that it has of an event whenever more arrives, so an image
 * in a line of megabytes would be scanned hundreds of times: 8 MiB in chunks of 4 KiB took 26 seconds. An event ends
 * only where a line does, so this delays nothing.
 */
export class WholeLines implements Framing {
  #held: Uint8Array[] = [];
  #heldBytes = 0;

  /** The chunk, after what was held back before it; undefined if no line has ended yet. */
  take(chunk: Uint8Array): Uint8Array | undefined {
    // Nearly every chunk ends with a line feed, so the search is rarely needed.
    const endsLine = chunk.at(-1) === lineFeed || chunk.includes(lineFeed) || chunk.includes(carriageReturn);
    if (endsLine && this.#heldBytes === 0) return chunk;
    this.#held.push(chunk);
    this.#heldBytes += chunk.byteLength;
    // Above the limit of an event, the translation refuses it.
    if (!endsLine && this.#heldBytes <= eventMaxCharacters) return undefined;
    const joined = Buffer.concat(this.#held, this.#heldBytes);
    this.#held = [];
    this.#heldBytes = 0;
    return joined;
  }
}

export const preludeBytes = 12;
/** The prelude and the checksum at the end. */
const frameMinBytes = 16;

/**
 * Collects the frames of `application/vnd.amazon.eventstream`:
 * https://docs.aws.amazon.com/AmazonS3/latest/API/RESTSelectObjectAppendix.html. Each begins with a prelude: its
 * length, the length of its headers, and a checksum of both, so a corrupt length is detected immediately. What cannot
 * be a frame is passed on immediately, for the translation to refuse, like a line without an end.
 */
export class WholeFrames implements Framing {
  #held: Uint8Array[] = [];
  #heldBytes = 0;
  /** Nothing is parsed until there are this many bytes. */
  #neededBytes = preludeBytes;

  take(chunk: Uint8Array): Uint8Array | undefined {
    this.#held.push(chunk);
    this.#heldBytes += chunk.byteLength;
    if (this.#heldBytes < this.#neededBytes) return undefined;
    const bytes = this.#held.length === 1 ? chunk : Buffer.concat(this.#held, this.#heldBytes);
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
