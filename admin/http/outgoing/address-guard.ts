/**
 * Which addresses admin connects to because a customer has named them: identity providers and webhook endpoints. Only public https
 * addresses, on port 443 or from 1024. A name is resolved once for each connection, and every address that it leads to is judged
 * before the connection is made to exactly these: a name that leads elsewhere a moment later gains nothing by it. Operators whose
 * customers are in their own network allow any address.
 */
import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { isPublicAddress, isPublicUrl } from '../../../shared/http/public-url.ts';

/** `any`: also private addresses, and http. */
export type Reach = 'public' | 'any';

export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>;

export interface AddressGuard {
  readonly reach: Reach;
  /** By default as the system does. */
  readonly resolve?: Resolve;
}

/** The address is not one that admin connects to. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused';
}

const httpsPort = 443;
const unprivilegedPortMin = 1_024;

const resolveBySystem: Resolve = (hostname) => lookup(hostname, { all: true });

/** Without resolving its name. Throws AddressRefused. */
export function checkAddress(text: string, reach: Reach): URL {
  const url = URL.parse(text);
  if (url === null) throw new AddressRefused('it is not a URL');
  if (reach === 'any') {
    if (isWeb(url) && url.username === '' && url.password === '') return url;
    throw new AddressRefused(`${url.protocol}//${url.host} is not a web address`);
  }
  if (url.protocol !== 'https:' || !isPublicUrl(text)) {
    throw new AddressRefused(`${url.protocol}//${url.host} is not a public https address`);
  }
  const port = url.port === '' ? httpsPort : Number(url.port);
  if (port !== httpsPort && port < unprivilegedPortMin) {
    throw new AddressRefused(`port ${port} is neither ${httpsPort} nor from ${unprivilegedPortMin}`);
  }
  return url;
}

const isWeb = ({ protocol }: URL) => protocol === 'https:' || protocol === 'http:';

/** All addresses of a name, once. Throws AddressRefused if one of them is private, and the resolver's error. */
export async function resolveName(
  hostname: string,
  { reach, resolve = resolveBySystem }: AddressGuard,
): Promise<readonly LookupAddress[]> {
  const addresses = await resolve(hostname);
  if (addresses.length === 0) throw new Error(`${hostname} has no address`);
  const isRefused = reach === 'public' && addresses.some(({ address }) => !isPublicAddress(address));
  if (isRefused) throw new AddressRefused(`${hostname} leads to a private address`);
  return addresses;
}

/** For the connection of one request: `node:https` asks it once, and verifies the certificate for the name. */
export function guardedLookup(guard: AddressGuard): LookupFunction {
  return (hostname, options, callback) => {
    resolveName(hostname, guard).then(
      (addresses) => {
        const [first] = addresses;
        if (options.all) callback(null, [...addresses]);
        else callback(null, first?.address ?? '', first?.family);
      },
      (error) => callback(error, '', 0),
    );
  };
}
