/**
 * Reads every body as a JSON object, whatever its content type says, within limits that hold before anybody has said who
 * he is. No body is an empty object, so that what is missing is named.
 */
import { Elysia } from 'elysia';
import { parseJsonObject } from '../../shared/http/parse-json-object.ts';
import { jsonLimits } from '../../shared/intake/json-scanner.ts';
import { type AccessTokens, accessTokens } from '../auth/access-tokens.ts';
import { authenticateUser } from '../auth/require-user.ts';
import type { AdminServices } from '../services.ts';

/** The longest bodies of forms and programs have a few kilobytes. */
const usualMaxBytes = 256 * 1024;

/** Throws GatewayError 400 `invalid_json` and `body_too_complex`, 408, 413, 503; 401 for who sends more than usual. */
export const jsonBodies = (services: AdminServices) =>
  new Elysia({ name: 'json-bodies' })
    .use(accessTokens(services.config.jwtSecret))
    .onParse({ as: 'global' }, async ({ request, accessTokens }) => {
      const maxBytes = await maxBytesOf(services, accessTokens, request);
      const body = await services.bodies.read(request, { maxBytes, json: jsonLimits });
      try {
        return body.text.trim() === '' ? {} : parseJsonObject(body.text);
      } finally {
        body.release();
      }
    });

/** A catalogue has more than anything else; who announces so much is asked first whether he is an operator. */
async function maxBytesOf(services: AdminServices, tokens: AccessTokens, { headers }: Request): Promise<number> {
  const authorization = headers.get('authorization');
  if (Number(headers.get('content-length') ?? 0) <= usualMaxBytes || authorization === null) return usualMaxBytes;
  const { role } = await authenticateUser(services, tokens, authorization);
  return role === 'operator' ? services.config.bodyMaxBytes : usualMaxBytes;
}
