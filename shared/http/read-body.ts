/** Reads a request's body once, up to a limit, whether its length is announced or not. */
import { GatewayError } from '../errors.ts';

/** Rejects with GatewayError `body_too_large`. */
export function readBody(request: Request, bodyMaxBytes: number): Promise<string> {
  const announcedBytes = Number(request.headers.get('content-length') ?? 0);
  if (announcedBytes > bodyMaxBytes) return Promise.reject(tooLarge(bodyMaxBytes));
  if (announcedBytes > 0) return request.text();
  return request.body === null ? Promise.resolve('') : readUnannounced(request.body, bodyMaxBytes);
}

async function readUnannounced(body: ReadableStream<Uint8Array>, bodyMaxBytes: number): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    // Leaving the loop cancels the body, so that the rest is not read.
    if (bytes > bodyMaxBytes) throw tooLarge(bodyMaxBytes);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

function tooLarge(bodyMaxBytes: number): GatewayError {
  return new GatewayError('body_too_large', `The request body is larger than ${bodyMaxBytes} bytes.`);
}
