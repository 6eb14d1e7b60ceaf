/** The address of a request's client, as admin counts attempts by it and shows it. */
import type { Address } from '../../../shared/addresses/address.ts';
import { clientAddress, exactAddress } from '../../../shared/http/client-address.ts';
import type { AdminConfig } from '../../config/admin.ts';

/** Where a session is used. */
export interface SessionClient {
  readonly address: string;
  readonly userAgent: string | undefined;
}

interface RouteContext {
  readonly request: Request;
  readonly server: { requestIP(request: Request): { readonly address: string } | null } | null;
}

export function callerAddress(context: RouteContext, config: AdminConfig): string {
  return clientAddress(sourceOf(context, config));
}

/** Undefined if it cannot be known. */
export function exactCallerAddress(context: RouteContext, config: AdminConfig): Address | undefined {
  return exactAddress(sourceOf(context, config));
}

/** Of a log-in or refresh, as a session shows it to its user. */
export function sessionClient(context: RouteContext, config: AdminConfig): SessionClient {
  return {
    address: callerAddress(context, config),
    userAgent: context.request.headers.get('user-agent') ?? undefined,
  };
}

function sourceOf({ request, server }: RouteContext, { trustedProxyHops }: AdminConfig) {
  return {
    socketAddress: server?.requestIP(request)?.address,
    forwardedFor: request.headers.get('x-forwarded-for') ?? undefined,
    trustedProxyHops,
  };
}
