/**
 * Whether a request may be answered with a stored response, and its own response be stored: by its header `x-cache`, or by the
 * setting of its key. Most requests have neither, and are not looked at any further.
 */
import { kinds } from '../../../shared/catalogue/model-kinds.ts';
import { invalidParameter } from '../../../shared/http/parameter-errors.ts';
import { pathOf } from '../../../shared/http/request-headers.ts';
import { placeOf } from '../../../shared/response-cache/cache-keys.ts';
import type { Call } from '../../nouns/call.ts';
import { isSearching } from '../../nouns/requests/hosted-tools.ts';
import type { Received } from '../admission/receive.ts';
import { type CacheUse, cacheHeader } from './cache-use.ts';
import { canonicalRequest } from './canonical-request.ts';
import type { OrganizationKeys } from './organization-keys.ts';

/** Of a response that a header asks for, with a key that has no setting. */
const defaultSeconds = 3_600;

export interface AskedRequest {
  readonly request: Request;
  readonly received: Received;
  readonly call: Call;
}

/** Throws GatewayError `invalid_parameter`. */
export function readCacheUse(organizations: OrganizationKeys, asked: AskedRequest): CacheUse | undefined {
  const { request, received, call } = asked;
  const { rules, accountId } = received.caller;
  const header = request.headers.get(cacheHeader);
  const seconds = rules?.cacheSeconds;
  if (header === null && seconds === undefined) return undefined;
  if (!isWanted(header, call)) return undefined;
  // What a provider stores is an effect, audio is large, and a search is to find what is new.
  if (call.body.store === true || isSearching(call) || (call.kind === 'chat' && call.outputsAudio)) return undefined;
  const { value, text } = received;
  const demands = rules?.dataPolicies ?? [];
  const canonical = canonicalRequest({ path: pathOf(request), value, text, demands });
  if (canonical === undefined) return undefined;
  const keys = organizations.of(accountId);
  const place = placeOf(accountId, keys.digest(canonical));
  return { place, keys, lifetimeMs: (seconds ?? defaultSeconds) * 1_000, rules };
}

/** The setting of a key is for requests whose response is meant to be the same each time. */
function isWanted(header: string | null, call: Call): boolean {
  if (header === null) return !kinds[call.kind].hasOutputTokens || call.body.temperature === 0;
  const wish = header.toLowerCase();
  if (wish === 'read') return true;
  if (wish === 'off') return false;
  throw invalidParameter(cacheHeader, 'read or off');
}
