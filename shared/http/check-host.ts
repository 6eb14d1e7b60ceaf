/**
 * Validates the `Host` header of a request, by RFC 9112 §3.2: exactly one, and well formed. Otherwise Bun gives the
 * request a URL that cannot be parsed.
 */
import { GatewayError } from '../errors.ts';

/** The error's `param`. */
export const hostParam = 'Host';

/** A name or an address, and a port. Several headers arrive joined by commas. */
const form = /^(?:[\w.~-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i;

/** Nearly every request has the same host as the one before it. */
let lastGood: string | undefined;

/** HTTP/1.0 allows requests without a host. Throws GatewayError `invalid_parameter`. */
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
