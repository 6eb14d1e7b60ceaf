/** Lets only operators pass, and gives the routes behind it their identity. */
import { Elysia } from 'elysia';
import { GatewayError } from '../../shared/errors.ts';
import { callerAddress } from '../http/request/client-address.ts';
import { requestIdOf } from '../http/response-headers.ts';
import type { Actor } from '../operations/audit/record-action.ts';
import type { AdminServices } from '../services.ts';
import { authenticateUser } from './require-user.ts';
import { accessTokens } from './sessions/access-tokens.ts';

/**
 * Routes that use it get `operator`, and `actor` for the audit log. Throws GatewayError `invalid_token` or
 * `access_denied`.
 */
export const requireOperator = (services: AdminServices) =>
  new Elysia()
    .use(accessTokens(services.config))
    .derive({ as: 'scoped' }, async ({ accessTokens, headers, request, server, set }) => {
      const operator = await authenticateUser(services, accessTokens, headers.authorization);
      if (operator.role !== 'operator') throw operatorsOnly();
      const actor: Actor = {
        name: operator.email,
        userId: operator.id,
        address: callerAddress({ request, server }, services.config),
        requestId: requestIdOf(set),
      };
      return { operator, actor };
    });

export const operatorsOnly = () => new GatewayError('access_denied', 'Only operators can do this.');
