/**
 * One request to an address that a customer has named: its connection is guarded (address-guard.ts), redirects are returned instead
 * of followed, the caller's signal ends it at any point, and no more of the response is read than the caller wants.
 */
import { type IncomingHttpHeaders, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { type AddressGuard, checkAddress, guardedLookup } from './address-guard.ts';

export interface Outgoing {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly bodyMaxBytes: number;
  /** Aborts the request, or the reading of its response. */
  readonly signal: AbortSignal;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** At most `bodyMaxBytes`. */
  readonly body: Buffer;
  /** False if there was more of it. */
  readonly isWhole: boolean;
}

/** Rejects with AddressRefused, with the reason of the signal, and with errors of the connection. */
export async function sendGuarded(address: string, outgoing: Outgoing, guard: AddressGuard): Promise<Answer> {
  const url = checkAddress(address, guard.reach);
  const { method, headers, body, signal } = outgoing;
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const begin = url.protocol === 'https:' ? requestHttps : requestHttp;
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  const request = begin(
    url,
    { method, headers: { ...headers, ...length }, lookup: guardedLookup(guard), agent: false },
    (response) => {
      readAnswer(response, outgoing.bodyMaxBytes).then(resolve, reject);
    },
  );
  const abort = () => {
    reject(signal.reason);
    request.destroy();
  };
  signal.addEventListener('abort', abort, { once: true });
  request.on('error', reject);
  request.end(body);
  try {
    return await promise;
  } finally {
    signal.removeEventListener('abort', abort);
    request.destroy();
  }
}

async function readAnswer(response: IncomingMessage, bodyMaxBytes: number): Promise<Answer> {
  const { statusCode: status = 0, headers } = response;
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > bodyMaxBytes) break;
  }
  const body = Buffer.concat(chunks).subarray(0, bodyMaxBytes);
  return { status, headers, body, isWhole: bytes <= bodyMaxBytes };
}
