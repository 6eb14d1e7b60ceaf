/**
 * A `fetch` for addresses that a customer names: only https, only public addresses, judged when the name is resolved for the very
 * connection, no redirects, ten seconds, and small responses. Operators whose identity providers are in their own network allow any
 * address.
 */
import { lookup as resolve } from 'node:dns';
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { LookupFunction } from 'node:net';
import { isPublicAddress, isPublicUrl } from '../../../shared/http/public-url.ts';

export interface Reach {
  /** `any`: also private addresses, and http. */
  readonly oidcIssuers: 'public' | 'any';
}

interface FetchOptions {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export const fetchTimeoutMs = 10_000;
const bodyMaxBytes = 256 * 1024;

/** In the form that openid-client takes. Rejects with Error. */
export function publicFetch({ oidcIssuers }: Reach) {
  return (address: string, { method, headers, body }: FetchOptions): Promise<Response> => {
    const url = new URL(address);
    if (oidcIssuers === 'public' && (url.protocol !== 'https:' || !isPublicUrl(address))) {
      return Promise.reject(new Error(`${url.origin} is not a public https address`));
    }
    return send(url, {
      method,
      headers,
      body: body?.toString(),
      lookup: oidcIssuers === 'any' ? undefined : publicLookup,
    });
  };
}

/** Resolves a name, and refuses it if any of its addresses is private. */
export const publicLookup: LookupFunction = (hostname, options, callback) => {
  resolve(hostname, { ...options, all: true }, (error, addresses) => {
    if (error !== null) return callback(error, '', 0);
    const refused = addresses.find(({ address }) => !isPublicAddress(address));
    const [first] = addresses;
    if (refused !== undefined || first === undefined) {
      return callback(new Error(`${hostname} leads to a private address`), '', 0);
    }
    return options.all ? callback(null, addresses) : callback(null, first.address, first.family);
  });
};

interface Sending {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly lookup: LookupFunction | undefined;
}

function send(url: URL, { method, headers, body, lookup }: Sending): Promise<Response> {
  const { promise, resolve: fulfil, reject } = Promise.withResolvers<Response>();
  const begin = url.protocol === 'https:' ? requestHttps : requestHttp;
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  const signal = AbortSignal.timeout(fetchTimeoutMs);
  const request = begin(
    url,
    { method, headers: { ...headers, ...length }, lookup, signal, agent: false },
    (response) => {
      readAll(response).then((text) => fulfil(toResponse(response, text)), reject);
    },
  );
  request.on('error', reject);
  request.end(body);
  return promise;
}

async function readAll(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response) {
    bytes += chunk.length;
    if (bytes > bodyMaxBytes) {
      response.destroy();
      throw new Error(`the response is larger than ${bodyMaxBytes} bytes`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function toResponse({ statusCode = 0, headers }: IncomingMessage, text: string): Response {
  const shown = new Headers();
  for (const name of ['content-type', 'www-authenticate']) {
    const value = headers[name];
    if (typeof value === 'string') shown.set(name, value);
  }
  const isEmpty = statusCode === 204 || statusCode === 304;
  return new Response(isEmpty ? null : text, { status: statusCode < 200 ? 502 : statusCode, headers: shown });
}
