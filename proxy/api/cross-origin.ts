/**
 * Lets any web page call /v1 (https://fetch.spec.whatwg.org/#http-cors-protocol). Only the key in the request
 * authenticates a caller; nothing that a browser adds automatically does, neither cookies nor certificates. So a page can
 * do no more than the holder of the key.
 */
import { pathOf } from '../../shared/http/request-headers.ts';

/**
 * Lets a page read all response headers. Browsers send the page's origin with every such request. Other requests don't
 * get these headers, so cacheable responses have `vary: origin`.
 */
export function allowPage(headers: Headers, request: Request): void {
  if (!request.headers.has('origin') || !pathOf(request).startsWith('/v1/')) return;
  headers.set('access-control-allow-origin', '*');
  headers.set('access-control-expose-headers', '*');
}

/** The most that browsers honour: two hours. */
const maxAgeSeconds = 7_200;

/** Browsers send a preflight before a request with a key or JSON. The wildcard does not cover `authorization`. */
export function handlePreflight(): Response {
  return new Response(null, {
    status: 204,
    headers: {
      'access-control-allow-methods': 'GET, POST, DELETE',
      'access-control-allow-headers': 'authorization, *',
      'access-control-max-age': String(maxAgeSeconds),
    },
  });
}
