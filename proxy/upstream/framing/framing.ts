/**
 * Splits a provider's stream into units that a translation can read: lines of text, or binary frames. A translation
 * gets only complete units, so that it does not scan an event again for every piece that arrives.
 */
export interface Framing {
  /** Everything that is complete now, including what was held back before; undefined if there is nothing. */
  take(piece: Uint8Array): Uint8Array | undefined;
}
