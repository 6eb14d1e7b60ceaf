/**
 * The caller's key, as far as it can be checked in this process: its form, its checksum and its kind. Whether it is
 * known, active and not expired is checked by the reserve script, so that a change is effective everywhere immediately.
 */
import { GatewayError } from '../../../shared/errors.ts';
import { bearerToken } from '../../../shared/http/request-headers.ts';
import { hashKey, parseKey } from '../../../shared/keys/api-key.ts';
import type { Shard } from '../../../shared/wallet/shard.ts';

export interface ShownKey {
  /** Under each pepper that is accepted, the one in use first. */
  readonly hashes: readonly string[];
  readonly shard: Shard;
}

/** Throws GatewayError `missing_api_key`, `invalid_api_key` or `wrong_key_type`. */
export function authenticate(headers: Headers, peppers: readonly string[]): ShownKey {
  const key = readKey(headers);
  const parsed = key === undefined ? undefined : parseKey(key);
  if (key === undefined || parsed === undefined) throw invalidKey();
  if (parsed.kind !== 'proxy') {
    throw new GatewayError(
      'wrong_key_type',
      'This is a billing key. Inference needs a proxy key, which begins with `ms-`.',
    );
  }
  const [pepper = ''] = peppers;
  // Nearly always there is one.
  const hashes = peppers.length === 1 ? [hashKey(key, pepper)] : peppers.map((each) => hashKey(key, each));
  return { hashes, shard: parsed.shard };
}

/** Anthropic's clients send their key as `x-api-key`. Undefined where the header holds something else than a key. */
export function readKey(headers: Headers): string | undefined {
  const authorization = headers.get('authorization');
  const token = bearerToken(authorization);
  if (token !== undefined) return token;
  if (authorization !== null && authorization.trim() !== '') return undefined;
  const key = headers.get('x-api-key');
  if (key !== null && key.trim() !== '') return key.trim();
  throw new GatewayError('missing_api_key', 'No API key was provided. Send it as `Authorization: Bearer ms-…`.');
}

export function invalidKey(): GatewayError {
  return new GatewayError('invalid_api_key', 'The API key is not valid. It may be mistyped or deleted.');
}
