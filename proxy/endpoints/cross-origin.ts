/**
 * Leave for any web page to call /v1 (https://fetch.spec.whatwg.org/#http-cors-protocol). A caller is known by the key
 * that it sends and by nothing that a browser adds by itself, neither cookies nor certificates: a page can do no more
 * than whoever holds the key.
 */
import { pathOf } from '../../shared/http/check-host.ts';

/**
 * A page may read all headers of an answer. Browsers name the page's origin with every such request; others are spared
 * the headers, so what caches may keep says `vary: origin`.
 */
export function allowPage(headers: Headers, request: Request): void {
  if (!request.headers.has('origin') || !pathOf(request).startsWith('/v1/')) return;
  headers.set('access-control-allow-origin', '*');
  headers.set('access-control-expose-headers', '*');
}

/** Browsers keep it for two hours at most. */
const maxAgeSeconds = 7_200;

/** Asked by a browser before a request that has a key or JSON. The star does not stand for `authorization`. */
export function answerPreflight(): Response {
  return new Response(null, {
    status: 204,
    headers: {
      'access-control-allow-methods': 'GET, POST',
      'access-control-allow-headers': 'authorization, *',
      'access-control-max-age': String(maxAgeSeconds),
    },
  });
}
