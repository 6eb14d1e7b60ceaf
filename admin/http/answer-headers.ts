/** Headers of every response: the request id, which is also in every log line about it, and a ban on caching. */
import { Elysia } from 'elysia';
import { checkHost } from '../../shared/http/request-headers.ts';

const requestIdHeader = 'x-request-id';

export const answerHeaders = new Elysia({ name: 'answer-headers' }).onRequest(({ request, set }) => {
  set.headers[requestIdHeader] = Bun.randomUUIDv7();
  // Responses contain tokens, keys and balances. Cacheable ones set their own header.
  set.headers['cache-control'] = 'no-store';
  set.headers['x-content-type-options'] = 'nosniff';
  checkHost(request.headers);
});

export function requestIdOf(set: { readonly headers: Readonly<Record<string, unknown>> }): string {
  return String(set.headers[requestIdHeader]);
}
