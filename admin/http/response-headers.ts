/**
 * Headers of every response: the request id, which is also in every log line about it, a ban on caching, and from a
 * program that is about to end, the request to connect elsewhere.
 */
import { Elysia } from 'elysia';
import { checkHost } from '../../shared/http/request-headers.ts';
import type { Lifecycle } from './readiness.ts';

const requestIdHeader = 'x-request-id';

export function responseHeaders(lifecycle: Pick<Lifecycle, 'shuttingDown'>) {
  return new Elysia({ name: 'response-headers' }).onRequest(({ request, set }) => {
    set.headers[requestIdHeader] = Bun.randomUUIDv7();
    // Responses contain tokens, keys and balances. Cacheable ones set their own header.
    set.headers['cache-control'] = 'no-store';
    set.headers['x-content-type-options'] = 'nosniff';
    if (lifecycle.shuttingDown()) set.headers.connection = 'close';
    checkHost(request.headers);
  });
}

export function requestIdOf(set: { readonly headers: Readonly<Record<string, unknown>> }): string {
  return String(set.headers[requestIdHeader]);
}
