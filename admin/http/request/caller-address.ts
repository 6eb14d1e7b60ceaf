/** The client address of a route's request. */
import type { AdminConfig } from '../../../shared/config/admin.ts';
import { clientAddress } from './client-address.ts';

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
