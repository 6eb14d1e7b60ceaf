/** The documentation of charged requests. */
import { Type } from '@sinclair/typebox';
import { heavyRefusals } from '../../heavy-work/heavy-work.ts';
import { archiveUnavailable } from '../../ledger/archive/usage-archive.ts';
import { requestNotFound } from '../../ledger/queries/read-receipt.ts';
import { describe, type Endpoint } from '../docs/describe.ts';
import { uuid } from '../fields/example-values.ts';
import { nextCursor } from '../fields/schemas.ts';
import {
  listedRequestSchema,
  operatorReceiptSchema,
  receiptSchema,
  requestParams,
  requestsQuery,
} from './requests-schemas.ts';

const common = { tag: 'Money' } as const;
const receiptDescription =
  'What a request was charged, and how the amount is calculated: tokens by class, and images, times the listed prices that were in ' +
  'effect when the request began. `exact` is the sum of the parts; it is rounded up once, to a billionth of a dollar.';

export const requestsResponse: Endpoint['response'] = {
  description: 'A page of requests.',
  schema: Type.Object({
    requests: Type.Array(listedRequestSchema, {
      description: 'The matching requests, newest first by their charge.',
    }),
    nextCursor,
  }),
};

export const listRequestsDocs = describe({
  ...common,
  id: 'listRequests',
  permission: 'usage:read',
  summary: 'Charged requests',
  description:
    'Every request that was charged, newest first by the time of the charge. For the next page, send the same filters ' +
    'with `nextCursor` as `cursor`.',
  query: requestsQuery,
  response: requestsResponse,
  errors: [...heavyRefusals(), archiveUnavailable()],
});

export const getRequestDocs = describe({
  ...common,
  id: 'getRequest',
  permission: 'usage:read',
  summary: 'Receipt of a request',
  description: receiptDescription,
  params: requestParams,
  response: { description: 'The receipt.', schema: receiptSchema },
  errors: [requestNotFound(uuid), ...heavyRefusals(), archiveUnavailable()],
});

export const getOperatorRequestDocs = describe({
  tag: 'Operators',
  permission: 'operator',
  id: 'getOperatorRequest',
  summary: 'Receipt of any request',
  description: "The customer's receipt, with the deployment that served the request and the provider's prices.",
  params: requestParams,
  response: { description: 'The receipt.', schema: operatorReceiptSchema },
  errors: [requestNotFound(uuid), ...heavyRefusals(), archiveUnavailable()],
});
