/** What every answer carries: the id of its request, which is also in every log line about it, and no leave to keep it. */
import { Elysia } from 'elysia';
import { checkHost } from '../../shared/http/check-host.ts';

const requestIdHeader = 'x-request-id';

export const answerHeaders = new Elysia({ name: 'answer-headers' }).onRequest(({ request, set }) => {
  set.headers[requestIdHeader] = Bun.randomUUIDv7();
  // Answers hold tokens, keys and balances. What may be cached says so itself.
  set.headers['cache-control'] = 'no-store';
  set.headers['x-content-type-options'] = 'nosniff';
  checkHost(request.headers);
});

export function requestIdOf(set: { readonly headers: Readonly<Record<string, unknown>> }): string {
  return String(set.headers[requestIdHeader]);
}
