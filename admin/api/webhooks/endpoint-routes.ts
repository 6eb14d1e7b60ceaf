/** /api/webhooks: where events of an organization are sent, and what was sent. */
import { Elysia } from 'elysia';
import { checkValue } from '../../../shared/http/check-value.ts';
import { authorized } from '../../auth/authorize.ts';
import type { LoginProtection } from '../../auth/login-protection.ts';
import { checkQuery } from '../../http/request/check-query.ts';
import { decodeIdCursor, encodeIdCursor } from '../../http/request/page-cursor.ts';
import type { AdminServices } from '../../services.ts';
import { checkUrl } from '../../webhooks/endpoints/check-url.ts';
import { listDeliveries, replayDelivery, testEndpoint } from '../../webhooks/endpoints/deliveries.ts';
import {
  changeEndpoint,
  createEndpoint,
  deleteEndpoint,
  findEndpoint,
  listEndpoints,
  type NewSecret,
  rotateSecret,
} from '../../webhooks/endpoints/endpoints.ts';
import {
  changeEndpointDocs,
  createEndpointDocs,
  deleteEndpointDocs,
  listDeliveriesDocs,
  listEndpointsDocs,
  replayDeliveryDocs,
  rotateSecretDocs,
  testEndpointDocs,
} from './endpoint-docs.ts';
import {
  changeEndpointBody,
  deliveriesMax,
  deliveriesQuery,
  deliveryParams,
  endpointParams,
  newEndpointBody,
  parseChange,
  renderDelivery,
  renderEndpoint,
} from './endpoint-schemas.ts';

export function endpointRoutes(services: AdminServices, protection: LoginProtection) {
  const { db } = services.database;
  return new Elysia({ prefix: '/api/webhooks' })
    .use(authorized(services))
    .get(
      '',
      async ({ caller }) => {
        const now = new Date();
        const endpoints = await listEndpoints(db, caller.accountId);
        return { webhooks: endpoints.map((endpoint) => renderEndpoint(endpoint, now)) };
      },
      listEndpointsDocs,
    )
    .post(
      '',
      async ({ actor, body, caller, set }) => {
        const fields = checkValue(newEndpointBody, body);
        await protection.requests.countWebhookTest(caller.accountId);
        await checkUrl(fields.url, services.config);
        const input = { manager: caller, fields: { active: true, ...fields } };
        const created = await createEndpoint({ db, config: services.config }, actor, input);
        set.status = 201;
        return withSecret(created);
      },
      createEndpointDocs,
    )
    .put(
      '/:endpointId',
      async ({ actor, body, caller, params }) => {
        const { endpointId: id } = checkQuery(endpointParams, params);
        const change = parseChange(checkValue(changeEndpointBody, body));
        await findEndpoint(db, { accountId: caller.accountId, id });
        if (change.url !== undefined) {
          await protection.requests.countWebhookTest(caller.accountId);
          await checkUrl(change.url, services.config);
        }
        return renderEndpoint(await changeEndpoint(db, actor, { manager: caller, id, change }), new Date());
      },
      changeEndpointDocs,
    )
    .delete(
      '/:endpointId',
      async ({ actor, caller, params, set }) => {
        await deleteEndpoint(db, actor, { manager: caller, id: checkQuery(endpointParams, params).endpointId });
        set.status = 204;
      },
      deleteEndpointDocs,
    )
    .post(
      '/:endpointId/rotate',
      async ({ actor, caller, params }) => {
        const input = { manager: caller, id: checkQuery(endpointParams, params).endpointId };
        return withSecret(await rotateSecret({ db, config: services.config }, actor, input));
      },
      rotateSecretDocs,
    )
    .use(deliveryRoutes(services, protection));
}

function deliveryRoutes(services: AdminServices, protection: LoginProtection) {
  const { config, database } = services;
  const { db } = database;
  return new Elysia()
    .use(authorized(services))
    .post(
      '/:endpointId/test',
      async ({ caller: { accountId }, params }) => {
        const { endpointId: id } = checkQuery(endpointParams, params);
        await findEndpoint(db, { accountId, id });
        await protection.requests.countWebhookTest(accountId);
        return renderDelivery(await testEndpoint({ config, database, now: () => new Date() }, { accountId, id }));
      },
      testEndpointDocs,
    )
    .get(
      '/:endpointId/deliveries',
      async ({ caller: { accountId }, params, query }) => {
        const { endpointId: id } = checkQuery(endpointParams, params);
        const { limit = deliveriesMax, cursor } = checkQuery(deliveriesQuery, query);
        const beforeId = cursor === undefined ? undefined : decodeIdCursor(cursor, 'cursor');
        await findEndpoint(db, { accountId, id });
        const found = await listDeliveries(db, { endpointId: id, beforeId, limit: limit + 1 });
        const page = found.slice(0, limit);
        const end = found.length > limit ? page.at(-1) : undefined;
        return {
          deliveries: page.map(renderDelivery),
          nextCursor: end === undefined ? null : encodeIdCursor(end.id),
        };
      },
      listDeliveriesDocs,
    )
    .post(
      '/:endpointId/deliveries/:deliveryId/replay',
      async ({ caller: { accountId }, params }) => {
        const { endpointId: id, deliveryId } = checkQuery(deliveryParams, params);
        await findEndpoint(db, { accountId, id });
        await protection.requests.countWebhookTest(accountId);
        return renderDelivery(await replayDelivery(db, { accountId, id }, deliveryId));
      },
      replayDeliveryDocs,
    );
}

const withSecret = ({ endpoint, secret }: NewSecret) => ({ ...renderEndpoint(endpoint, new Date()), secret });
