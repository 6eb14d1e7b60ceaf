/** The documentation of charged requests. */
import { Type } from '@sinclair/typebox';
import { noUnits, tokenUnits } from '../../../shared/usage/billable-units.ts';
import { operatorsOnly } from '../../auth/require-operator.ts';
import { requestNotFound } from '../../ledger/queries/read-receipt.ts';
import { describe, type Endpoint } from '../docs/describe.ts';
import { pricesLike } from '../fields/money.ts';
import { nullable, text } from '../fields/schemas.ts';
import {
  listedRequestSchema,
  operatorReceiptSchema,
  receiptSchema,
  requestParams,
  type requestSchema,
  requestsQuery,
} from './requests-schemas.ts';

const requestExample: typeof requestSchema.static = {
  requestId: '01945b2e-7c1a-7d3e-8f10-2b3c4d5e6f70',
  model: 'gpt-4o-mini',
  key: { id: 7, name: 'production', prefix: 'ms-07Zk3QpL' },
  startedAt: '2030-01-01T11:59:58.120Z',
  chargedAt: '2030-01-01T12:00:00.000Z',
  estimated: false,
  final: true,
  ...noUnits,
  promptTokens: 12,
  completionTokens: 30,
  charged: '0.00002376',
};
const perMillionTokens = pricesLike({ prompt: '0.18', cachedPrompt: '0.09', completion: '0.72' });
const amounts: Readonly<Record<string, string>> = { prompt: '0.00000216', completion: '0.0000216' };
const receiptExample: typeof receiptSchema.static = {
  ...requestExample,
  price: { version: 3, effectiveFrom: '2029-12-01T00:00:00.000Z', perMillionTokens, perImage: [] },
  cost: {
    parts: tokenUnits.map(({ name, price }) => ({
      class: price,
      tokens: requestExample[name],
      perMillionTokens: perMillionTokens[price],
      amount: amounts[price] ?? '0',
    })),
    images: null,
    exact: '0.00002376',
    rounding: '0',
    total: '0.00002376',
    uncharged: '0',
    charged: '0.00002376',
  },
  correctedFrom: null,
  transactions: [{ id: 12, createdAt: '2030-01-01T12:00:00.000Z', amount: '-0.00002376' }],
  balanceAfter: '9.99997624',
};

const common = { tag: 'Money', security: 'accessToken' } as const;
const receiptDescription =
  'What a request was charged, and how the amount is calculated: tokens by class, and images, times the listed prices that were in ' +
  'effect when the request began. `exact` is the sum of the parts; it is rounded up once, to a billionth of a dollar.';

export const requestsResponse: Endpoint['response'] = {
  status: 200,
  description: 'A page of requests.',
  schema: Type.Object({
    requests: Type.Array(listedRequestSchema, {
      description: 'The matching requests, newest first by their charge.',
    }),
    nextCursor: nullable(text('What to send as `cursor` for the next page; null on the last page.')),
  }),
  example: { requests: [{ ...requestExample, booked: requestExample.charged }], nextCursor: null },
};

export const listRequestsDocs = describe({
  ...common,
  id: 'listRequests',
  summary: 'Charged requests',
  description:
    'Every request that was charged, newest first by the time of the charge. For the next page, send the same filters ' +
    'with `nextCursor` as `cursor`.',
  query: requestsQuery,
  response: requestsResponse,
});

export const getRequestDocs = describe({
  ...common,
  id: 'getRequest',
  summary: 'Receipt of a request',
  description: receiptDescription,
  params: requestParams,
  response: { status: 200, description: 'The receipt.', schema: receiptSchema, example: receiptExample },
  errors: [requestNotFound(requestExample.requestId)],
});

export const getOperatorRequestDocs = describe({
  tag: 'Operators',
  security: 'accessToken',
  id: 'getOperatorRequest',
  summary: 'Receipt of any request',
  description: "The customer's receipt, with the deployment that served the request and the provider's prices.",
  params: requestParams,
  response: {
    status: 200,
    description: 'The receipt.',
    schema: operatorReceiptSchema,
    example: {
      ...receiptExample,
      accountId: 17,
      deployment: 'openai/gpt-4o-mini-2024-07-18',
      markup: '1.2',
      providerPrices: pricesLike({ prompt: '0.15', cachedPrompt: '0.075', completion: '0.6' }),
      providerImagePrices: [],
      walletEpoch: 1,
      walletSeq: 42,
    } satisfies typeof operatorReceiptSchema.static,
  },
  errors: [operatorsOnly(), requestNotFound(requestExample.requestId)],
});
