/**
 * The address of a request's client. `X-Forwarded-For` is trusted only as far as our own reverse proxies have written it:
 * with n of them, the address is the n-th from the right, and everything left of it may be forged by the client.
 */
import { type Address, formatAddress, isIpv4, parseAddress } from '../addresses/address.ts';

interface AddressSource {
  readonly socketAddress: string | undefined;
  readonly forwardedFor: string | undefined;
  readonly trustedProxyHops: number;
}

/** Undefined if it cannot be known: with reverse proxies, if they did not say it, or said something that is no address. */
export function exactAddress(source: AddressSource): Address | undefined {
  const text = source.trustedProxyHops > 0 ? forwardedAddress(source) : withoutZone(source.socketAddress);
  return text === undefined ? undefined : parseAddress(text);
}

/**
 * For counting attempts; without a forwarded address, that of the connection. IPv6 addresses are truncated to their /64, the
 * smallest block that a network customer gets.
 */
export function clientAddress(source: AddressSource): string {
  const text = forwardedAddress(source) || withoutZone(source.socketAddress) || 'unknown';
  const address = parseAddress(text);
  if (address === undefined) return text;
  return isIpv4(address) ? formatAddress(address) : `${firstHalf(address)}::/64`;
}

function forwardedAddress({ forwardedFor, trustedProxyHops }: AddressSource): string | undefined {
  if (trustedProxyHops === 0) return undefined;
  return forwardedFor?.split(',').at(-trustedProxyHops)?.trim();
}

/** Of a connection to a link-local address: `fe80::1%eth0`. */
function withoutZone(socketAddress: string | undefined): string | undefined {
  return socketAddress?.split('%')[0];
}

/** Also where groups are zero, so that counters of former versions continue. */
function firstHalf([first = 0, second = 0]: Address): string {
  return [first >>> 16, first & 0xffff, second >>> 16, second & 0xffff].map((group) => group.toString(16)).join(':');
}
