/** GET /v1/key and /v1/credits in the document. */
import { Type } from '@sinclair/typebox';
import type { ErrorCode } from '../../../shared/errors.ts';
import { inferenceErrorForm } from '../document/error-codes.ts';
import { rateHeaders } from '../document/headers.ts';
import { describeOperation } from '../document/operation.ts';
import { orNull, text, usd } from '../document/schema-parts.ts';
import { creditsPath, keyPath } from './key-status.ts';

const limit = (period: string) =>
  orNull(Type.Number({ minimum: 0 }), `What the key may spend ${period}, in USD; null without such a limit.`);
const remaining = (period: string) =>
  orNull(
    Type.Number({ minimum: 0 }),
    `What is left of it ${period}, in USD, less what requests in flight may still cost; null without such a limit.`,
  );
const rate = (of: string) => orNull(Type.Integer({ minimum: 1 }), `${of}; null without such a limit.`);

const key = Type.Object({
  label: text('The first characters of the key, by which its owner knows it.', 'ms-07Zk3QpL'),
  limit: limit('in all'),
  limit_remaining: remaining('in all'),
  limit_daily: limit('in a day of UTC'),
  limit_daily_remaining: remaining('today'),
  limit_monthly: limit('in a month of UTC'),
  limit_monthly_remaining: remaining('this month'),
  usage: usd('What the key has spent, in USD. Without a spending limit it may be some seconds old.'),
  usage_daily: usd('What it has spent today, by UTC.'),
  usage_monthly: usd('What it has spent this month, by UTC.'),
  rate_limit: Type.Object(
    {
      requests: rate('Requests in an interval'),
      tokens: rate('Tokens in an interval'),
      concurrent_requests: rate('Concurrent requests'),
      interval: text('The length of an interval: a minute.', '1m'),
    },
    { description: "The rate limits of the key. The account's own limits apply to all of its keys together." },
  ),
  allowed_models: orNull(Type.Array(Type.String()), 'The ids of the models that the key may use; null for all.'),
  expires_at: orNull(Type.String({ format: 'date-time' }), 'When the key expires; null for never.'),
});

const credits = Type.Object({
  available: Type.Number({ description: 'What can be spent now, in USD.' }),
  reserved: usd('What requests in flight hold, in USD. What they do not use becomes available when they end.'),
  total_credits: usd('The total paid in, in USD.'),
  total_usage: usd('The total spent, in USD. The rest is available or reserved.'),
});

const inData = (schema: typeof key | typeof credits, description: string) =>
  Type.Object({ data: { ...schema, description } }, { description });

export const keyStatusSchemas = {
  KeyStatus: inData(key, 'The limits of a key, and what it has spent.'),
  Credits: inData(credits, 'The balance of the account of a key.'),
};

const errors: readonly ErrorCode[] = [
  'missing_api_key',
  'invalid_api_key',
  'wrong_key_type',
  'key_expired',
  'key_deactivated',
  'email_not_verified',
  'rate_limit_exceeded',
  'internal_error',
  'wallet_unavailable',
];

const common = { tag: 'Keys', key: 'bearer', errors, errorForm: inferenceErrorForm } as const;

export const keyStatusPaths = {
  [keyPath]: {
    get: describeOperation({
      ...common,
      id: 'getKey',
      summary: 'Read the limits and the spending of this key',
      description:
        'Use it when you hold a proxy key but have no access to its account. Costs nothing; it counts towards the limit of ' +
        'requests a minute.',
      answer: {
        description: 'The key that the request was sent with.',
        headers: rateHeaders,
        schema: 'KeyStatus',
        example: {
          data: {
            label: 'ms-07Zk3QpL',
            limit: 100,
            limit_remaining: 74.5,
            limit_daily: 5,
            limit_daily_remaining: 4.999973,
            limit_monthly: null,
            limit_monthly_remaining: null,
            usage: 25.5,
            usage_daily: 0.000027,
            usage_monthly: 3.2,
            rate_limit: { requests: 6_000, tokens: 20_000_000, concurrent_requests: 1_000, interval: '1m' },
            allowed_models: ['demo/chat'],
            expires_at: '2030-12-31T23:59:59.000Z',
          },
        },
      },
    }),
  },
  [creditsPath]: {
    get: describeOperation({
      ...common,
      id: 'getCredits',
      summary: 'Read the balance of the account',
      description:
        'The balance that all keys of the account spend from. Costs nothing; it counts towards the limit of requests a minute.',
      answer: {
        description: 'The balance of the account that the key belongs to.',
        headers: rateHeaders,
        schema: 'Credits',
        example: { data: { available: 74.49, reserved: 0.01, total_credits: 100, total_usage: 25.5 } },
      },
    }),
  },
};
