/** Reads a response body as text, up to a limit on its decompressed size. */
import type { HttpResponse } from './http-response.ts';
import { UpstreamFailure } from './upstream-failure.ts';

interface Reading {
  readonly maxBytes: number;
  /** Notified of each chunk. */
  readonly receiver?: { received(bytes: number): void };
  /** The provider has generated the response and bills it, so if too large it is `oversized` instead of `malformed`. */
  readonly isBilled?: boolean;
}

export async function readText(response: Pick<HttpResponse, 'readWhile'>, reading: Reading): Promise<string> {
  const { maxBytes, receiver } = reading;
  let first: Uint8Array | undefined;
  let text: PiecedText | undefined;
  let bytes = 0;
  await response.readWhile((piece) => {
    bytes += piece.byteLength;
    receiver?.received(piece.byteLength);
    if (bytes > maxBytes) throw responseTooLarge(reading);
    if (text !== undefined) text.add(piece);
    else if (first === undefined) first = piece;
    else {
      text = new PiecedText();
      text.add(first);
      text.add(piece);
    }
    return true;
  });
  // Most bodies come in one piece, for which no decoder needs to be made.
  return text?.end() ?? (first === undefined ? '' : wholeText.decode(first));
}

const wholeText = new TextDecoder();

class PiecedText {
  readonly #decoder = new TextDecoder();
  #text = '';

  add(piece: Uint8Array): void {
    this.#text += this.#decoder.decode(piece, { stream: true });
  }

  end(): string {
    return this.#text + this.#decoder.decode();
  }
}

export function responseTooLarge({ maxBytes, isBilled = false }: Reading): UpstreamFailure {
  if (!isBilled) return new UpstreamFailure('malformed', `The provider's response is larger than ${maxBytes} bytes.`);
  return new UpstreamFailure(
    'oversized',
    `The response is larger than ${maxBytes} bytes. It was charged. Request fewer choices, images, tokens or log probabilities.`,
  );
}
