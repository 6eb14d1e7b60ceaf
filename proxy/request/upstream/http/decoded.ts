/** Decompresses responses of servers that compress although they are asked not to. */
import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import { type HttpResponse, passOn } from '../../../nouns/http-response.ts';
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
  const next = async () => (await pieces.next()).value;
  return { status: response.status, headers: response.headers, readWhile: (take) => passOn(next, take) };
}

async function* piecesOf(response: HttpResponse, decoder: Transform): AsyncGenerator<Uint8Array, undefined> {
  void feed(response, decoder);
  for await (const piece of decoder) yield piece;
  return undefined;
}

/** The decoder takes only so much ahead of its reader. */
async function feed(response: HttpResponse, decoder: Transform): Promise<void> {
  try {
    await response.readWhile((piece) => decoder.write(piece) || drained(decoder));
    decoder.end();
  } catch (error) {
    decoder.destroy(error instanceof Error ? error : new Error('the response broke off', { cause: error }));
  }
}

function drained(decoder: Transform): Promise<true> {
  return new Promise((resolve) => {
    const goOn = () => resolve(true);
    decoder.once('drain', goOn).once('close', goOn);
  });
}
