/** Reads a response body as text, up to a limit on its decompressed size. */
import { UpstreamFailure } from './upstream-failure.ts';

interface Reading {
  readonly maxBytes: number;
  /** Notified of each chunk of a body that arrives in chunks. */
  readonly receiver?: { received(bytes: number): void };
  /** The provider has generated the response and bills it, so if too large it is `oversized` instead of `malformed`. */
  readonly isBilled?: boolean;
}

export function readText(response: Response, reading: Reading): Promise<string> {
  // A compressed body is larger than announced.
  const announced = response.headers.has('content-encoding') ? null : response.headers.get('content-length');
  if (announced !== null && Number(announced) <= reading.maxBytes) return response.text();
  return readChunks(response, reading);
}

async function readChunks({ body }: Response, reading: Reading): Promise<string> {
  if (body === null) return '';
  const { maxBytes, receiver } = reading;
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    receiver?.received(chunk.byteLength);
    if (bytes > maxBytes) throw responseTooLarge(reading);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

export function responseTooLarge({ maxBytes, isBilled = false }: Reading): UpstreamFailure {
  if (!isBilled) return new UpstreamFailure('malformed', `The provider's response is larger than ${maxBytes} bytes.`);
  return new UpstreamFailure(
    'oversized',
    `The response is larger than ${maxBytes} bytes. It was charged. Request fewer choices, images, tokens or log probabilities.`,
  );
}
