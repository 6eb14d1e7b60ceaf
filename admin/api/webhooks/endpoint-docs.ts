/** The documentation of webhook endpoints and deliveries. */

import { webhookTestsMax, webhookTestsRefusal } from '../../auth/throttle/request-throttle.ts';
import { tooManyAttempts } from '../../auth/throttle/throttle.ts';
import { addressUnverified } from '../../database/rows/account-state.ts';
import { attemptsMax } from '../../database/tables/webhooks.ts';
import { badUrl } from '../../webhooks/endpoints/check-url.ts';
import { webhookInactive } from '../../webhooks/endpoints/deliveries.ts';
import {
  endpointNotFound,
  endpointsMax,
  formerSecretHours,
  tooManyWebhooks,
} from '../../webhooks/endpoints/endpoints.ts';
import { deliveryDays } from '../../webhooks/purge-deliveries.ts';
import { describe } from '../docs/describe.ts';
import {
  changeEndpointBody,
  deliveriesQuery,
  deliveriesSchema,
  deliveryParams,
  deliverySchema,
  endpointParams,
  endpointSchema,
  endpointsSchema,
  newEndpointBody,
  newSecretSchema,
  nothingToChangeInEndpoint,
} from './endpoint-schemas.ts';

const tag = 'Webhooks';
const tooManyTests = tooManyAttempts(webhookTestsRefusal, 60_000);

export const listEndpointsDocs = describe({
  id: 'listWebhooks',
  permission: 'webhooks:read',
  summary: 'List webhook endpoints',
  description: 'Where events of the organization are sent. Secrets are not shown again.',
  tag,
  response: { description: 'The endpoints.', schema: endpointsSchema },
});

export const createEndpointDocs = describe({
  id: 'createWebhook',
  permission: 'webhooks:manage',
  summary: 'Create a webhook endpoint',
  description:
    'Each event is sent as a POST with the JSON `{type, timestamp, data}`, with signatures that follow [Standard Webhooks](https://www.standardwebhooks.com): ' +
    `\`webhook-id\`, \`webhook-timestamp\`, \`webhook-signature\`. Any status from 200 to 299 within five seconds confirms it. It is sent at least ` +
    `once, in no particular order, with ${attemptsMax} attempts over a day. After the last one the endpoint becomes inactive, and the ` +
    `owners get an e-mail. An organization has at most ${endpointsMax} endpoints.`,
  tag,
  body: { schema: newEndpointBody },
  response: { status: 201, description: 'The endpoint, with its secret.', schema: newSecretSchema },
  errors: [badUrl(), addressUnverified(), tooManyWebhooks(), tooManyTests],
});

export const changeEndpointDocs = describe({
  id: 'changeWebhook',
  permission: 'webhooks:manage',
  summary: 'Change a webhook endpoint',
  description:
    'Omitted fields stay as they are. When it becomes active, what was waiting is sent, with all attempts. The secret stays the same.',
  tag,
  params: endpointParams,
  body: { schema: changeEndpointBody, example: { active: true } },
  response: { description: 'The endpoint after the change.', schema: endpointSchema },
  errors: [badUrl(), nothingToChangeInEndpoint(), endpointNotFound(), tooManyTests],
});

export const deleteEndpointDocs = describe({
  id: 'deleteWebhook',
  permission: 'webhooks:manage',
  summary: 'Delete a webhook endpoint',
  description: 'What was not sent yet is never sent.',
  tag,
  params: endpointParams,
  response: { status: 204, description: 'The endpoint is deleted.' },
  errors: [endpointNotFound()],
});

export const rotateSecretDocs = describe({
  id: 'rotateWebhookSecret',
  permission: 'webhooks:manage',
  summary: 'Replace the secret',
  description:
    `For ${formerSecretHours} hours, deliveries have two signatures: of the new secret and of the one before. So receivers can be changed without ` +
    'missing an event.',
  tag,
  params: endpointParams,
  response: { description: 'The endpoint, with its new secret.', schema: newSecretSchema },
  errors: [endpointNotFound()],
});

export const testEndpointDocs = describe({
  id: 'testWebhook',
  permission: 'webhooks:manage',
  summary: 'Send a test event',
  description:
    'Sends an event of the type `webhook.test` once, whether or not the endpoint is active, and waits for the response. At most ' +
    `${webhookTestsMax} times in ten minutes.`,
  tag,
  params: endpointParams,
  response: { description: 'The delivery, with its outcome.', schema: deliverySchema },
  errors: [endpointNotFound(), tooManyTests],
});

export const listDeliveriesDocs = describe({
  id: 'listWebhookDeliveries',
  permission: 'webhooks:read',
  summary: 'List deliveries',
  description: `What was and will be sent to the endpoint, for ${deliveryDays} days.`,
  tag,
  params: endpointParams,
  query: deliveriesQuery,
  response: { description: 'The deliveries.', schema: deliveriesSchema },
  errors: [endpointNotFound()],
});

export const replayDeliveryDocs = describe({
  id: 'replayWebhookDelivery',
  permission: 'webhooks:manage',
  summary: 'Send a delivery again',
  description: 'Soon, with the same `webhook-id`, whatever became of it. It has all attempts again.',
  tag,
  params: deliveryParams,
  response: { description: 'The delivery, which is pending.', schema: deliverySchema },
  errors: [endpointNotFound(), webhookInactive(), tooManyTests],
});
