/**
 * Where the provider sends the browser after the payment. Only to our own pages: an address elsewhere would make the
 * provider's page a redirect to anywhere.
 */
import { GatewayError } from '../../../shared/errors.ts';

export const returnPath = '/billing';

/** Adds the payment's id as `payment`. Throws GatewayError `invalid_parameter`. */
export function returnUrlOf(
  given: string | undefined,
  { paymentId, publicUrl }: { paymentId: string; publicUrl: string },
) {
  const home = new URL(publicUrl);
  const url = given === undefined ? new URL(`${publicUrl}${returnPath}`) : parse(given, home);
  if (url === undefined || url.origin !== home.origin || url.username !== '' || url.password !== '') {
    throw foreignReturnUrl(publicUrl);
  }
  url.searchParams.set('payment', paymentId);
  return url.href;
}

export function foreignReturnUrl(publicUrl: string): GatewayError {
  return new GatewayError(
    'invalid_parameter',
    `Invalid value for 'returnUrl': expected a path such as ${returnPath}, or an address that begins with ${publicUrl}.`,
    { param: 'returnUrl' },
  );
}

/** A relative address is resolved as browsers do, so `//elsewhere` and `/\elsewhere` are seen for what they are. */
function parse(given: string, home: URL): URL | undefined {
  const isOwnForm = given.startsWith('/') || /^https?:\/\//i.test(given);
  return isOwnForm && URL.canParse(given, home.href) ? new URL(given, home.href) : undefined;
}
