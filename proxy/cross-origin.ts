/**
 * Leave for any web page to call /v1 (https://fetch.spec.whatwg.org/#http-cors-protocol). A caller is known by the key
 * that it sends and by nothing that a browser adds by itself, neither cookies nor certificates: a page can do no more
 * than whoever holds the key.
 */

/** Of every answer. A page may read all of its headers. */
export const crossOriginHeaders = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': '*',
} as const;

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
