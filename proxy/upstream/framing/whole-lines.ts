/**
 * Gathers the pieces of a line that comes in many. A translation looks at everything of an event that it has so far
 * whenever more comes of it, so a picture in a line of megabytes would be looked at hundreds of times: 8 MiB in pieces
 * of 4 KiB took 26 seconds. No event ends where no line does, so nothing comes later by this.
 */
import { eventMaxCharacters } from '../limits.ts';
import type { Framing } from './framing.ts';

const lineFeed = 10;
const carriageReturn = 13;

export class WholeLines implements Framing {
  #held: Uint8Array[] = [];
  #heldBytes = 0;

  /** The piece, after what was held back before it; undefined where no line has ended yet. */
  take(piece: Uint8Array): Uint8Array | undefined {
    // Nearly every piece ends with one, so there is nothing to look for.
    const endsLine = piece.at(-1) === lineFeed || piece.includes(lineFeed) || piece.includes(carriageReturn);
    if (endsLine && this.#heldBytes === 0) return piece;
    this.#held.push(piece);
    this.#heldBytes += piece.byteLength;
    // Above the limit of an event it is up to the translation to refuse it.
    if (!endsLine && this.#heldBytes <= eventMaxCharacters) return undefined;
    const gathered = Buffer.concat(this.#held, this.#heldBytes);
    this.#held = [];
    this.#heldBytes = 0;
    return gathered;
  }
}
