/** Gives every request an id, which its answer carries and every log line about it. */
import { Elysia } from 'elysia';

export const requestIdHeader = 'x-request-id';

export const requestIds = new Elysia({ name: 'request-ids' }).onRequest(({ set }) => {
  set.headers[requestIdHeader] = Bun.randomUUIDv7();
});

export function requestIdOf(set: { readonly headers: Readonly<Record<string, unknown>> }): string {
  return String(set.headers[requestIdHeader]);
}
