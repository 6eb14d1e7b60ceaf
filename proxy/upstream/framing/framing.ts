/**
 * How a provider's stream is cut into what a translation can take: lines of text, or binary frames. A translation looks
 * only at what is whole, so that no event is looked at again and again while it grows.
 */
export interface Framing {
  /** All that is whole now, after what was held back before; undefined where that is nothing. */
  take(piece: Uint8Array): Uint8Array | undefined;
}
