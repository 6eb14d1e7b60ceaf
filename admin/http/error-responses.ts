/** Turns everything thrown while a request is handled into an error response of the common shape. */
import { type AnyElysia, Elysia } from 'elysia';
import { GatewayError } from '../../shared/errors.ts';
import { UploadAborted } from '../../shared/http/intake/bodies.ts';
import { internalError, renderError } from '../../shared/http/render-error.ts';
import type { Log } from '../../shared/log.ts';
import { withoutParameters } from '../database/errors.ts';
import { databaseUnavailable, findOutage } from '../database/unavailable.ts';
import { AllowedMethods } from './allowed-methods.ts';
import { requestIdOf } from './response-headers.ts';

interface Failure {
  readonly code: unknown;
  readonly error: unknown;
  readonly request: Request;
  readonly path: string;
}

/** `routes` is read only when the first unknown route is called. */
export function errorResponses(log: Log, routes: () => AnyElysia) {
  const allowedMethods = new AllowedMethods(routes);
  return new Elysia({ name: 'error-answers' }).onError({ as: 'global' }, ({ code, error, request, path, set }) => {
    const requestId = requestIdOf(set);
    const allowed = code === 'NOT_FOUND' ? allowedMethods.of(path) : [];
    const gatewayError = toGatewayError({ code, error, request, path }, allowed, requestId);
    if (gatewayError.status >= 500) {
      const err = withoutParameters(gatewayError.cause ?? gatewayError);
      // A customer's identity provider is not ours to repair.
      const level = gatewayError.code === 'identity_provider_unavailable' ? 'warn' : 'error';
      log[level]({ requestId, method: request.method, path, err }, 'request failed');
    }
    const { status, headers, body } = renderError(gatewayError);
    set.status = status;
    Object.assign(set.headers, headers);
    if (gatewayError.code === 'method_not_allowed') set.headers.allow = allowed.join(', ');
    return body;
  });
}

function toGatewayError(failure: Failure, allowed: readonly string[], requestId: string): GatewayError {
  const { code, error, request, path } = failure;
  if (error instanceof GatewayError) return error;
  // Elysia wraps errors thrown while a body is read.
  const cause = error instanceof Error ? error.cause : undefined;
  if (cause instanceof GatewayError) return cause;
  if (cause instanceof UploadAborted) return new GatewayError('invalid_json', 'The request body did not arrive.');
  if (code === 'NOT_FOUND') {
    return allowed.length > 0
      ? new GatewayError('method_not_allowed', `${path} accepts ${allowed.join(', ')}, not ${request.method}.`)
      : new GatewayError('not_found', `There is no ${request.method} ${path}.`);
  }
  if (code === 'PARSE')
    return new GatewayError('invalid_json', 'The request body could not be read.', { cause: error });
  if (findOutage(error) !== undefined) return databaseUnavailable(error);
  return internalError(requestId, error);
}
