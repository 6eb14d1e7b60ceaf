/**
 * Joins the pieces of a line. A translation scans everything that it has of an event whenever more arrives, so an image
 * in a line of megabytes would be scanned hundreds of times: 8 MiB in pieces of 4 KiB took 26 seconds. An event ends
 * only where a line does, so this delays nothing.
 */
import { eventMaxCharacters } from '../limits.ts';
import type { Framing } from './framing.ts';

const lineFeed = 10;
const carriageReturn = 13;

export class WholeLines implements Framing {
  #held: Uint8Array[] = [];
  #heldBytes = 0;

  /** The piece, after what was held back before it; undefined if no line has ended yet. */
  take(piece: Uint8Array): Uint8Array | undefined {
    // Nearly every piece ends with a line feed, so the search is rarely needed.
    const endsLine = piece.at(-1) === lineFeed || piece.includes(lineFeed) || piece.includes(carriageReturn);
    if (endsLine && this.#heldBytes === 0) return piece;
    this.#held.push(piece);
    this.#heldBytes += piece.byteLength;
    // Above the limit of an event, the translation refuses it.
    if (!endsLine && this.#heldBytes <= eventMaxCharacters) return undefined;
    const gathered = Buffer.concat(this.#held, this.#heldBytes);
    this.#held = [];
    this.#heldBytes = 0;
    return gathered;
  }
}
