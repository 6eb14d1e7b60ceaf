/** Webhook endpoints and deliveries, in requests and responses. */
import { Type } from '@sinclair/typebox';
import { GatewayError } from '../../../shared/errors.ts';
import { type WebhookEventType, webhookEventTypes } from '../../operations/webhook-events/webhook-event.ts';
import { messageIdOf, shownCharacters } from '../../webhooks/delivery/attempt-delivery.ts';
import type { Delivery } from '../../webhooks/endpoints/deliveries.ts';
import type { Endpoint, EndpointFields } from '../../webhooks/endpoints/endpoints.ts';
import { secretPrefix } from '../../webhooks/endpoints/secrets.ts';
import { uuid } from '../fields/example-values.ts';
import {
  closedObject,
  count,
  flag,
  idOf,
  integer,
  nextCursor,
  nullable,
  oneOf,
  pageCursor,
  pageLimit,
  text,
  timestamp,
} from '../fields/schemas.ts';

export const deliveriesMax = 50;
const urlMaxLength = 2_000;
const exampleUrl = 'https://example.com/webhooks';
const exampleError = 'the endpoint responded with status 500';
const deliveryIdExample = 12;
const exampleData = { keyId: 7, kind: 'proxy', name: 'production', prefix: 'ms-07Zk3QpL' };

const eventType = oneOf(webhookEventTypes, 'The type of an event.', 'balance.low');

const endpointFields = {
  id: text('The id of the endpoint.', uuid),
  url: text('Where events are sent.', exampleUrl),
  events: Type.Array(eventType, { description: 'Which events are sent.', example: ['balance.low', 'key.created'] }),
  active: flag('Whether anything is sent.', true),
  restedAt: nullable(
    timestamp(
      'Since when it is inactive because a delivery failed for good; null if no one but people has changed it.',
    ),
  ),
  restReason: nullable(text('What failed then.', `key.created was not delivered: ${exampleError}`)),
  formerSecretEndsAt: nullable(
    timestamp('Until when the secret before also signs, after it was replaced; null if it was not.'),
  ),
  createdAt: timestamp('When it was created.'),
};

export const endpointSchema = Type.Object(endpointFields, { title: 'Webhook' });

export const endpointsSchema = Type.Object(
  { webhooks: Type.Array(Type.Object(endpointFields), { description: 'The oldest first.' }) },
  { title: 'Webhooks' },
);

export const newSecretSchema = Type.Object(
  {
    ...endpointFields,
    secret: text(
      'What its deliveries are signed with. This response is the only one that has it.',
      `${secretPrefix}${'x'.repeat(43)}=`,
    ),
  },
  { title: 'WebhookWithSecret' },
);

const deliveryFields = {
  id: integer('The id of the delivery.', deliveryIdExample),
  webhookId: text(
    'The `webhook-id` of each attempt. It is the same for all endpoints and for a replay.',
    messageIdOf(uuid),
  ),
  type: text('The type of the event; `webhook.test` for a test.', 'key.created'),
  data: Type.Object({}, { additionalProperties: true, description: 'The `data` of the event.', example: exampleData }),
  occurredAt: timestamp('When the event happened.'),
  status: oneOf(
    ['pending', 'delivered', 'failed'],
    '`pending` until an attempt succeeds (`delivered`) or the last one fails (`failed`).',
    'delivered',
  ),
  attempts: count('How many attempts have begun.', 1),
  nextAttemptAt: nullable(timestamp('When the next attempt begins at the earliest; null unless it is pending.')),
  attemptedAt: nullable(timestamp('When the newest attempt ended; null before the first.')),
  responseStatus: nullable(integer('The HTTP status of its response; null if there was none.', 200)),
  response: nullable(text(`The first ${shownCharacters.toLocaleString('en')} characters of the response.`, 'ok')),
  error: nullable(text('Why the newest attempt failed; null if it did not.', exampleError)),
};

export const deliverySchema = Type.Object(deliveryFields, { title: 'WebhookDelivery' });

export const deliveriesSchema = Type.Object(
  { deliveries: Type.Array(Type.Object(deliveryFields), { description: 'The newest first.' }), nextCursor },
  { title: 'WebhookDeliveries' },
);

const endpointId = Type.String({
  pattern: '^[\\da-f]{8}(-[\\da-f]{4}){3}-[\\da-f]{12}$',
  description: 'The id of the endpoint.',
  expected: 'the id of a webhook endpoint',
  example: uuid,
});

export const endpointParams = Type.Object({ endpointId });

export const deliveryParams = Type.Object({
  endpointId,
  deliveryId: idOf('a delivery', 'The id of the delivery, as the list of deliveries shows it.', deliveryIdExample),
});

export const deliveriesQuery = Type.Object({
  limit: pageLimit(deliveriesMax, 'How many deliveries to return at most.'),
  cursor: pageCursor,
});

const url = Type.String({
  minLength: 1,
  maxLength: urlMaxLength,
  description:
    'Where to send events: a public https address, with port 443 or one from 1024, without user and password. Redirects are not ' +
    'followed.',
  expected: 'a public https URL, with port 443 or one from 1024',
  example: exampleUrl,
});
const events = Type.Array(eventType, {
  minItems: 1,
  maxItems: webhookEventTypes.length,
  uniqueItems: true,
  description: 'Which events to send.',
  expected: `a list of different types of events: ${webhookEventTypes.join(', ')}`,
  example: ['balance.low', 'key.created'],
});
const active = Type.Optional(
  Type.Boolean({
    default: true,
    description: 'False sends nothing until it is true again. Events that happen meanwhile are not recorded for it.',
    expected: 'true or false',
    example: true,
  }),
);

export const newEndpointBody = closedObject({ url, events, active });

export const changeEndpointBody = closedObject({ url: Type.Optional(url), events: Type.Optional(events), active });

/** Throws GatewayError `missing_parameter`. */
export function parseChange(input: typeof changeEndpointBody.static): Partial<EndpointFields> {
  if (Object.keys(input).length === 0) throw nothingToChangeInEndpoint();
  return input;
}

export function nothingToChangeInEndpoint(): GatewayError {
  return new GatewayError('missing_parameter', 'Send at least one of `url`, `events` and `active`.', { param: 'url' });
}

export function renderEndpoint(endpoint: Endpoint, now: Date): typeof endpointSchema.static {
  const { id, url: address, events: types, restedAt, restReason, formerSecretEndsAt, createdAt } = endpoint;
  const isFormerValid = formerSecretEndsAt !== null && formerSecretEndsAt > now;
  return {
    ...{ id, url: address, active: endpoint.active, restReason },
    // Those that only a newer version knows are passed on.
    events: types as WebhookEventType[],
    restedAt: restedAt?.toISOString() ?? null,
    formerSecretEndsAt: isFormerValid ? formerSecretEndsAt.toISOString() : null,
    createdAt: createdAt.toISOString(),
  };
}

export function renderDelivery(delivery: Delivery): typeof deliverySchema.static {
  const { eventId, state, type, data, attempts, responseStatus, responseBody, error } = delivery;
  return {
    ...{ id: delivery.id, webhookId: messageIdOf(eventId), type, data: data as object },
    occurredAt: delivery.occurredAt.toISOString(),
    ...{ status: state, attempts },
    nextAttemptAt: state === 'pending' ? delivery.nextAttemptAt.toISOString() : null,
    attemptedAt: delivery.attemptedAt?.toISOString() ?? null,
    ...{ responseStatus, response: responseBody, error },
  };
}
