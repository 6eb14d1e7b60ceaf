/**
 * The body of one request, and the memory that is counted for it. What a large one no longer takes is collected soon: the
 * collector waits for many new objects, and a few long texts are not many.
 */

/** A collection takes about as long as making so many bytes of garbage. */
const collectAfterBytes = 64 * 1024 * 1024;
let garbageBytes = 0;

/** A larger body is bytes. */
export const smallMaxBytes = 262_144;

interface Facts {
  readonly bytes: number;
  readonly members: number;
}

export class Body {
  /** The number of bytes that the client sent. */
  bytes = 0;
  /** Members in the text; a name that occurs twice in an object counts twice. */
  members = 0;
  #content: string | readonly Uint8Array[] = '';
  #counted = 0;
  #resize: ((more: number) => void) | undefined;

  /** `resize` counts more or less memory for it. It throws if there is not enough. */
  constructor(resize: (more: number) => void) {
    this.#resize = resize;
  }

  /** A large body is bytes, in chunks. */
  arrived(content: string | readonly Uint8Array[], { bytes, members }: Facts): void {
    this.#content = content;
    this.bytes = bytes;
    this.members = members;
  }

  get isLarge(): boolean {
    return this.bytes > smallMaxBytes;
  }

  /** That of a large body is made each time. */
  get text(): string {
    return typeof this.#content === 'string' ? this.#content : utf8Decoder.decode(Buffer.concat(this.#content));
  }

  /** It is not so large that it has to stay bytes. */
  becomeText(): string {
    const { text } = this;
    this.#content = text;
    return text;
  }

  /** The bytes of a large body, which keeps none of them. */
  takeBytes(): Buffer<ArrayBuffer> {
    const bytes = typeof this.#content === 'string' ? Buffer.from(this.#content) : Buffer.concat(this.#content);
    this.#content = '';
    return bytes;
  }

  /** The memory that it takes from now on. Throws GatewayError `overloaded` if all bodies would take too much. */
  count(bytes: number): void {
    if (this.#resize === undefined) return;
    const more = bytes - this.#counted;
    this.#resize(more);
    this.#counted = bytes;
    if (more < 0 && this.isLarge) leaveGarbage(-more);
  }

  /** It no longer takes memory. */
  release(): void {
    this.count(0);
    this.#resize = undefined;
  }
}

/** What passes through leaves so many bytes that the collector has not noticed yet. */
export function leaveGarbage(bytes: number): void {
  garbageBytes += bytes;
  if (garbageBytes < collectAfterBytes) return;
  garbageBytes = 0;
  // What is in use until the end of this turn would stay.
  setImmediate(() => Bun.gc(true));
}

const utf8Decoder = new TextDecoder();
