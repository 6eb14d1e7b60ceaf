/**
 * Whether a URL that a customer gives names a public host. The provider fetches it from inside of its own network, or of
 * the operator's where the model runs there: loopback, private addresses and the metadata of cloud machines must not be
 * reachable that way. Names are not resolved, so one that leads to a private address is the fetcher's to refuse.
 *
 * Fetchers disagree about what a URL's host is. So only one spelling of it passes: without userinfo, backslashes, control
 * characters and percent-encoding, and an IPv4 address as four decimal numbers.
 */
import { isIPv4 } from 'node:net';
import { isIpv4, parseAddress } from '../addresses/address.ts';
import { isWithin, type Network, parseNetwork } from '../addresses/network.ts';

const webUrl = /^https?:\/\/([^\s\p{C}/?#\\@%:[\]]+|\[[\da-f:.]+\])(?::\d{1,5})?(?:[/?#]|$)/iu;

/** https://www.iana.org/assignments/iana-ipv4-special-registry, multicast, and Azure's metadata (168.63.129.16). */
const privateIpv4 = networksOf([
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24'],
  ...['192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24'],
  ...['224.0.0.0/4', '240.0.0.0/4', '168.63.129.16/32'],
]);

/** All that is routed; what contains an IPv4 address in some form is outside of it, or below. */
const globalIpv6 = networksOf(['2000::/3']);
/** https://www.iana.org/assignments/iana-ipv6-special-registry: tunnels and documentation. */
const specialIpv6 = networksOf(['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']);

/** Names that are only known inside of a network: RFC 6761, appendix G of RFC 6762, RFC 8375, and ICANN's `internal`. */
const privateSuffix = /\.(?:localhost|localdomain|local|internal|intranet|private|corp|home|lan|home\.arpa)$/;

export function isPublicUrl(text: string): boolean {
  const [, spelled] = webUrl.exec(text) ?? [];
  const host = spelled === undefined ? undefined : URL.parse(text)?.hostname;
  if (host === undefined) return false;
  if (host.startsWith('[')) return isPublicIpv6(host.slice(1, -1));
  return isIPv4(host) ? spelled === host && isPublicAddress(host) : isPublicName(host);
}

/** Of a name that was resolved, for example. */
export function isPublicAddress(text: string): boolean {
  return isIPv4(text) ? !isIn(text, privateIpv4) : isPublicIpv6(text);
}

/** An IPv4 address within one is none. */
function isPublicIpv6(text: string): boolean {
  const address = parseAddress(text);
  return address !== undefined && !isIpv4(address) && isIn(text, globalIpv6) && !isIn(text, specialIpv6);
}

/** A name without a dot, such as that of a container, is a private one. `name` is in lower case. */
function isPublicName(name: string): boolean {
  const bare = name.endsWith('.') ? name.slice(0, -1) : name;
  return bare.includes('.') && !privateSuffix.test(bare);
}

function isIn(text: string, networks: readonly Network[]): boolean {
  const address = parseAddress(text);
  return address !== undefined && networks.some((network) => isWithin(address, network));
}

function networksOf(texts: readonly string[]): Network[] {
  return texts.map((text) => {
    const network = parseNetwork(text);
    if (network === undefined) throw new Error(`${text} is not a network`);
    return network;
  });
}
