/** Decompresses responses of servers that compress although they are asked not to. */
import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import type { HttpResponse } from '../../../nouns/http-response.ts';
import { listOf } from './header-fields.ts';
import { ProtocolError } from './response-parser.ts';

const decoders: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
};

export function decoded(response: HttpResponse): HttpResponse {
  const encoding = response.headers.get('content-encoding');
  if (encoding === null) return response;
  const codings = listOf(encoding).filter((coding) => coding !== 'identity' && coding !== '');
  const [coding] = codings;
  if (coding === undefined) return response;
  const decoder = Object.hasOwn(decoders, coding) ? decoders[coding]?.() : undefined;
  if (decoder === undefined || codings.length > 1)
    throw new ProtocolError(`the content-encoding ${encoding} of the response is not understood`);
  const pieces = piecesOf(response, decoder);
  return { status: response.status, headers: response.headers, read: async () => (await pieces.next()).value };
}

async function* piecesOf(response: HttpResponse, decoder: Transform): AsyncGenerator<Uint8Array, undefined> {
  void feed(response, decoder);
  for await (const piece of decoder) yield piece;
  return undefined;
}

/** The decoder takes only so much ahead of its reader. */
async function feed(response: HttpResponse, decoder: Transform): Promise<void> {
  try {
    for (let bytes = await response.read(); bytes !== undefined; bytes = await response.read()) {
      if (!decoder.write(bytes))
        await new Promise<void>((resolve) => decoder.once('drain', resolve).once('close', resolve));
    }
    decoder.end();
  } catch (error) {
    decoder.destroy(error instanceof Error ? error : new Error('the response broke off', { cause: error }));
  }
}
