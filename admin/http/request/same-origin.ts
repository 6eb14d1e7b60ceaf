/**
 * Refuses what a page of another origin makes a browser send to the endpoints that set or use the refresh cookie: a form
 * there could otherwise log the visitor in as someone else. `SameSite` does not prevent that, because it only keeps the
 * cookie from being sent.
 *
 * Browsers always say where a POST comes from, and scripts of a page cannot change it: in `Sec-Fetch-Site`, if they trust
 * the connection (https, and http to this machine), and in `Origin`. Other clients send neither.
 */
import { Elysia } from 'elysia';
import { GatewayError } from '../../../shared/errors.ts';

/** `publicUrl` is where people reach the dashboard. Routes that use it throw GatewayError 403 `cross_origin`. */
export const sameOriginOnly = (publicUrl: string) => {
  const publicHost = new URL(publicUrl).host;
  return new Elysia().onBeforeHandle({ as: 'scoped' }, ({ request: { headers } }) => {
    if (!isAllowed(headers, publicHost)) throw crossOrigin();
  });
};

function isAllowed(headers: Headers, publicHost: string): boolean {
  const [site, origin] = [headers.get('sec-fetch-site'), headers.get('origin')];
  if (site === null && origin === null) return true;
  return isSameOrigin({ site, origin, hosts: [publicHost, headers.get('host')] }) && isJson(headers);
}

interface Sender {
  readonly site: string | null;
  readonly origin: string | null;
  readonly hosts: readonly (string | null)[];
}

/**
 * Without `Sec-Fetch-Site`, `Origin` is compared with the address that the browser has asked, and with PUBLIC_URL, which
 * is that address if a reverse proxy has rewritten `Host`. The scheme is not known behind such a proxy.
 */
function isSameOrigin({ site, origin, hosts }: Sender): boolean {
  if (site !== null) return site === 'same-origin';
  const host = URL.parse(origin ?? '')?.host;
  return host !== undefined && host !== '' && hosts.includes(host);
}

/** What a form cannot send. A request without a body needs no type. */
function isJson(headers: Headers): boolean {
  const [type = ''] = (headers.get('content-type') ?? '').split(';');
  return type === '' || type.trim().toLowerCase() === 'application/json';
}

export const crossOrigin = () =>
  new GatewayError(
    'cross_origin',
    'A browser can call this only from a page of the gateway itself, with a body of the type application/json.',
  );
