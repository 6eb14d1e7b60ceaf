/**
 * The client address of a request, for counting attempts. `X-Forwarded-For` is trusted only as far as our own reverse
 * proxies have written it: with n of them, the address is the n-th from the right, and everything left of it may be
 * forged by the client.
 */
import { isIPv6 } from 'node:net';
import type { AdminConfig } from '../../config/admin.ts';

/** Where a session is used. */
export interface SessionClient {
  readonly address: string;
  readonly userAgent: string | undefined;
}

interface AddressSource {
  readonly socketAddress: string | undefined;
  readonly forwardedFor: string | undefined;
  readonly trustedProxyHops: number;
}

/** IPv6 addresses are truncated to their /64, the smallest block that a network customer gets. */
export function clientAddress({ socketAddress, forwardedFor, trustedProxyHops }: AddressSource): string {
  const forwarded = (forwardedFor ?? '').split(',').map((address) => address.trim());
  const address = (trustedProxyHops > 0 ? forwarded.at(-trustedProxyHops) : undefined) || socketAddress || 'unknown';
  return isIPv6(address) ? networkOf(address) : address;
}

function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  const [head = '', tail] = address.toLowerCase().split('::');
  const groups = head.split(':').filter((group) => group !== '');
  const tailGroups = (tail ?? '').split(':').filter((group) => group !== '');
  const zeros = Array.from({ length: 8 - groups.length - tailGroups.length }, () => '0');
  return `${[...groups, ...zeros, ...tailGroups].slice(0, 4).join(':')}::/64`;
}

interface RouteContext {
  readonly request: Request;
  readonly server: { requestIP(request: Request): { readonly address: string } | null } | null;
}

export function callerAddress({ request, server }: RouteContext, config: AdminConfig): string {
  return clientAddress({
    socketAddress: server?.requestIP(request)?.address,
    forwardedFor: request.headers.get('x-forwarded-for') ?? undefined,
    trustedProxyHops: config.trustedProxyHops,
  });
}

/** Of a log-in or refresh, as a session shows it to its user. */
export function sessionClient(context: RouteContext, config: AdminConfig): SessionClient {
  return {
    address: callerAddress(context, config),
    userAgent: context.request.headers.get('user-agent') ?? undefined,
  };
}
