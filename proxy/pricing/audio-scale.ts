/**
 * Estimates the tokens of generated audio from its size, as it passes, for when the provider does not report them. Its transcript
 * is weighed as text.
 */

/** A token is 50 ms: https://platform.openai.com/docs/guides/realtime-costs */
const tokensPerSecond = 20;

/** One channel of 16 bits at 24 kHz. */
const pcmBytesPerSecond = 48_000;

/** The highest rates that are usual for speech, so that no one pays for more than they received. */
const compressedBytesPerSecond: ReadonlyMap<unknown, number> = new Map([
  ['aac', 16_000],
  ['mp3', 20_000],
  ['opus', 8_000],
]);

export class AudioScale {
  readonly #bytesPerToken: number;
  #bytes = 0;

  /** `format` is what the client asks for. */
  constructor(format?: unknown) {
    this.#bytesPerToken = (compressedBytesPerSecond.get(format) ?? pcmBytesPerSecond) / tokensPerSecond;
  }

  get tokens(): number {
    return Math.ceil(this.#bytes / this.#bytesPerToken);
  }

  /** Takes the next piece, each of which is encoded on its own. */
  add(base64: string): void {
    this.#bytes += Buffer.byteLength(base64, 'base64');
  }
}
