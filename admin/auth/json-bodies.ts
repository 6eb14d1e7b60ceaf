/**
 * Reads every body as a JSON object, regardless of its content type, within limits that apply before authentication.
 * No body counts as an empty object, so that missing fields are named. A body that no endpoint expects is not read.
 */
import { type AnyElysia, Elysia } from 'elysia';
import { GatewayError } from '../../shared/errors.ts';
import { parseJsonObject } from '../../shared/http/check-value.ts';
import { jsonLimits } from '../../shared/http/intake/json-scanner.ts';
import { requireStorable } from '../http/request/storable-text.ts';
import type { AdminServices } from '../services.ts';
import { authenticateUser } from './authorize.ts';
import { type AccessTokens, accessTokens } from './sessions/access-tokens.ts';

/** The largest legitimate bodies have a few kilobytes. */
export const usualMaxBytes = 256 * 1024;

/** Throws GatewayError 400 `invalid_json` and `body_too_complex`, 408, 413, 503. */
export function jsonBodies(services: AdminServices, application: () => AnyElysia) {
  let routesWithBody: ReadonlySet<string> | undefined;
  return new Elysia({ name: 'json-bodies' })
    .use(accessTokens(services.config))
    .onParse({ as: 'global' }, async ({ request, route, accessTokens }) => {
      routesWithBody ??= findRoutesWithBody(application());
      if (!routesWithBody.has(`${request.method} ${route}`)) return {};
      const maxBytes = await maxBytesOf(services, accessTokens, request);
      const body = await services.bodies.read(request, { maxBytes, json: jsonLimits });
      try {
        return body.text.trim() === '' ? {} : parseStorable(body.text);
      } finally {
        body.release();
      }
    });
}

function parseStorable(text: string): object {
  const value = parseJsonObject(text);
  requireStorable(value);
  return value;
}

/** `POST /api/keys`: the operations that declare a body. */
function findRoutesWithBody({ routes }: AnyElysia): ReadonlySet<string> {
  const withBody = routes.filter(({ hooks }) => hooks.detail?.requestBody !== undefined);
  return new Set(withBody.map(({ method, path }) => `${method} ${path}`));
}

/** A catalogue is larger than any other body; a client that announces one must first prove to be an operator. */
async function maxBytesOf(services: AdminServices, tokens: AccessTokens, { headers }: Request): Promise<number> {
  const authorization = headers.get('authorization');
  if (Number(headers.get('content-length') ?? 0) <= usualMaxBytes || authorization === null) return usualMaxBytes;
  const role = await roleOf(services, tokens, authorization);
  return role === 'operator' ? services.config.bodyMaxBytes : usualMaxBytes;
}

/** Undefined for a client that is not logged in: a billing key has no role, and its route checks it. */
async function roleOf(services: AdminServices, tokens: AccessTokens, authorization: string) {
  try {
    return (await authenticateUser(services, tokens, authorization)).role;
  } catch (error) {
    if (error instanceof GatewayError) return undefined;
    throw error;
  }
}
