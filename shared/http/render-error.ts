/**
 * The one place where errors become responses. What a caller may know is in a GatewayError; every other error is our
 * fault and becomes `internal_error`, which reveals nothing but the request id.
 */
import { type ErrorBody, errorBody, GatewayError } from '../errors.ts';

export interface RenderedError {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: ErrorBody;
}

export function renderError(error: GatewayError): RenderedError {
  const headers: Record<string, string> = {};
  if (error.retryAfterSeconds !== undefined) headers['retry-after'] = String(error.retryAfterSeconds);
  // RFC 9110 §11.6.1: a 401 names the scheme to use.
  if (error.status === 401) headers['www-authenticate'] = 'Bearer';
  return { status: error.status, headers, body: errorBody(error) };
}

export function internalError(requestId: string, cause: unknown): GatewayError {
  return new GatewayError(
    'internal_error',
    `An internal error occurred. Contact support with this request id: ${requestId}`,
    {
      cause,
    },
  );
}
