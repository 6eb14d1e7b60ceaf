/** Reads a request's body once, up to a limit, whether its length is announced or not. */
import { GatewayError } from '../../shared/errors.ts';

export interface RequestBody {
  readonly text: string;
  readonly bytes: number;
}

/** Throws GatewayError `body_too_large`. */
export async function readBody(request: Request, maxBytes: number): Promise<RequestBody> {
  const announced = request.headers.get('content-length');
  if (announced !== null) {
    const bytes = Number(announced);
    if (bytes > maxBytes) throw tooLarge(maxBytes);
    return { text: await request.text(), bytes };
  }
  if (request.body === null) return { text: '', bytes: 0 };
  return readUnannounced(request.body, maxBytes);
}

async function readUnannounced(body: ReadableStream<Uint8Array>, maxBytes: number): Promise<RequestBody> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    // Leaving the loop cancels the body, so that the rest is not read.
    if (bytes > maxBytes) throw tooLarge(maxBytes);
    text += decoder.decode(chunk, { stream: true });
  }
  return { text: text + decoder.decode(), bytes };
}

function tooLarge(maxBytes: number): GatewayError {
  return new GatewayError('body_too_large', `The request body is larger than ${maxBytes} bytes.`);
}
