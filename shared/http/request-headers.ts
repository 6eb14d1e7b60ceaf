/**
 * Reads headers of requests: `Authorization` by RFC 6750 §2.1, `If-None-Match` by RFC 9110 §13.1.2, and `Host` by RFC
 * 9112 §3.2.
 */
import { GatewayError } from '../errors.ts';

const bearer = /^bearer +(\S+) *$/i;
/** The usual spelling. */
const usualBearer = /^Bearer \S+$/;
const usualScheme = 'Bearer ';

/** The token of an `Authorization` header. Undefined if there is no header or it has another scheme. */
export function bearerToken(authorization: string | undefined | null): string | undefined {
  if (authorization && usualBearer.test(authorization)) return authorization.slice(usualScheme.length);
  return bearer.exec(authorization ?? '')?.[1];
}

/** Whether a client already has the response. The comparison is weak, as the RFC requires: `W/` does not matter. */
export function matchesEtag(ifNoneMatch: string | null | undefined, etag: string): boolean {
  if (ifNoneMatch === null || ifNoneMatch === undefined) return false;
  const known = ifNoneMatch.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return known.includes('*') || known.includes(etag);
}

/** The error's `param`. */
export const hostParam = 'Host';

/** A name or an address, and a port. Several headers arrive joined by commas. */
const form = /^(?:[\w.~-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i;

/** Nearly every request has the same host as the one before it. */
let lastGood: string | undefined;

/**
 * Exactly one host, and well formed: otherwise Bun gives the request a URL that cannot be parsed. HTTP/1.0 allows
 * requests without a host. Throws GatewayError `invalid_parameter`.
 */
export function checkHost(headers: Headers): void {
  const host = headers.get('host');
  if (host === null || host === lastGood) return;
  if (!form.test(host) || !URL.canParse(`http://${host}/`)) {
    throw new GatewayError('invalid_parameter', "Invalid 'Host' header: expected one host with an optional port.", {
      param: hostParam,
    });
  }
  lastGood = host;
}

/** The path without the query, even if Bun found no host and the URL is only a path. */
export function pathOf({ url }: { readonly url: string }): string {
  return URL.parse(url, 'http://localhost')?.pathname ?? url;
}
