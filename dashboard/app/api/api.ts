/**
 * The client of admin's API. Paths, parameters and responses have the types of its OpenAPI document.
 *
 *     const { keys } = await call(api.GET('/api/proxy-keys'));
 */
import createClient from 'openapi-fetch';
import type { paths } from '../../generated/api.ts';
import { session } from '../session/session.ts';
import { errorOfResponse, networkError } from './api-error.ts';

type ReadPath = {
  [Path in keyof paths]: paths[Path] extends {
    get: { responses: { 200: { content: { 'application/json': unknown } } } };
  }
    ? Path
    : never;
}[keyof paths];

/** What `GET` of the path returns. */
export type ApiResponse<Path extends ReadPath> = paths[Path] extends {
  get: { responses: { 200: { content: { 'application/json': infer Body } } } };
}
  ? Body
  : never;

/** Long enough for a slow network; a page then says that there is no connection. Downloads have limits of their own. */
const callTimeoutMs = 30_000;

/** Sends the access token of the session. */
export const api = createClient<paths>({
  baseUrl: location.origin,
  fetch: (request) => session.fetch(withTimeout(request)),
});

/** For what needs no log-in, and may happen before it. */
export const publicApi = createClient<paths>({
  baseUrl: location.origin,
  fetch: (request) => fetch(withTimeout(request)),
});

function withTimeout(request: Request): Request {
  return new Request(request, { signal: AbortSignal.any([request.signal, AbortSignal.timeout(callTimeoutMs)]) });
}

// The language that was chosen here, not the browser's: for mails, and for messages about company details.
for (const client of [api, publicApi]) {
  client.use({ onRequest: ({ request }) => request.headers.set('accept-language', document.documentElement.lang) });
}

interface Sent<Data> {
  readonly data?: Data;
  readonly error?: unknown;
  readonly response: Response;
}

/** The body of a success. Throws ApiError. */
export async function call<Data>(sent: Promise<Sent<Data>>): Promise<Data> {
  const { data, error, response } = await sent.catch((cause: unknown) => {
    throw networkError(cause);
  });
  if (!response.ok) throw errorOfResponse(response, error);
  return data as Data;
}

/** A value for `Idempotency-Key`. `crypto.randomUUID` does not exist on plain HTTP. */
export function newIdempotencyKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
