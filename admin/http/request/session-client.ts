/** The client of a log-in or refresh, as a session shows it to its user. */
import type { AdminConfig } from '../../../shared/config/admin.ts';
import type { SessionClient } from '../../auth/sessions/refresh-tokens.ts';
import { callerAddress } from './client-address.ts';

type RouteContext = Parameters<typeof callerAddress>[0];

export function sessionClient(context: RouteContext, config: AdminConfig): SessionClient {
  return {
    address: callerAddress(context, config),
    userAgent: context.request.headers.get('user-agent') ?? undefined,
  };
}
