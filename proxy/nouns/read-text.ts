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
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  await response.readWhile((piece) => {
    bytes += piece.byteLength;
    receiver?.received(piece.byteLength);
    if (bytes > maxBytes) throw responseTooLarge(reading);
    text += decoder.decode(piece, { stream: true });
    return true;
  });
  return text + decoder.decode();
}

export function responseTooLarge({ maxBytes, isBilled = false }: Reading): UpstreamFailure {
  if (!isBilled) return new UpstreamFailure('malformed', `The provider's response is larger than ${maxBytes} bytes.`);
  return new UpstreamFailure(
    'oversized',
    `The response is larger than ${maxBytes} bytes. It was charged. Request fewer choices, images, tokens or log probabilities.`,
  );
}
