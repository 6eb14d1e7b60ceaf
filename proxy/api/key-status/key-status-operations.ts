/** GET /v1/key and /v1/credits in the OpenAPI document. */
import { Type } from '@sinclair/typebox';
import type { ErrorCode } from '../../../shared/errors.ts';
import { rateLimits } from '../../../shared/limits/rate-limits.ts';
import { spendLimitsByLength } from '../../../shared/limits/spend-limits.ts';
import { recordOf } from '../../../shared/members.ts';
import { describeOperation } from '../../../shared/openapi/describe-operation.ts';
import { inferenceErrorForm } from '../document/error-codes.ts';
import { rateHeaders } from '../document/headers.ts';
import { orNull, text, usd } from '../document/schema-parts.ts';
import { proxyKey } from '../document/security.ts';
import { creditsPath, keyPath, statusNames } from './key-status.ts';

const amountOrNull = (description: string) =>
  orNull(Type.Number({ minimum: 0 }), `${description}; null if there is no such limit.`);

const spendFields = Object.fromEntries([
  ...spendLimitsByLength.flatMap((row) => {
    const { limit, remaining } = statusNames(row);
    const left = `What the key can still spend ${row.now}, in USD, less what requests in flight hold`;
    return [
      [limit, amountOrNull(`What the key may spend ${row.per}, in USD`)],
      [remaining, amountOrNull(left)],
    ];
  }),
  ...spendLimitsByLength.map((row) => [
    statusNames(row).usage,
    usd(
      row.window === undefined
        ? 'What the key has spent, in USD. May be a few seconds old if the key has no spending limit.'
        : `What the key has spent ${row.now} (UTC), in USD.`,
    ),
  ]),
]);

/** For examples. */
const noSpending = {
  ...Object.fromEntries(
    spendLimitsByLength.map(statusNames).flatMap(({ limit, remaining }) => [
      [limit, null],
      [remaining, null],
    ]),
  ),
  ...Object.fromEntries(spendLimitsByLength.map(statusNames).map(({ usage }) => [usage, 0])),
};

const key = Type.Object({
  label: text('The first characters of the key, which identify it to its owner.', 'ms-07Zk3QpL'),
  ...spendFields,
  rate_limit: Type.Object(
    {
      ...recordOf(rateLimits, ({ statusName, statusMeans }) => [
        statusName,
        orNull(Type.Integer({ minimum: 1 }), `${statusMeans}; null if there is no such limit.`),
      ]),
      interval: text('The length of the interval: one minute.', '1m'),
    },
    { description: "The key's rate limits. The account's limits apply to all of its keys together." },
  ),
  cache_seconds: orNull(
    Type.Integer(),
    'For how many seconds responses are stored and given again to exact repetitions; null if they are not, unless a request asks for it.',
  ),
  allowed_models: orNull(Type.Array(Type.String()), 'The ids of the models that the key may use; null for all.'),
  expires_at: orNull(Type.String({ format: 'date-time' }), 'When the key expires; null for never.'),
});

const credits = Type.Object({
  available: Type.Number({ description: 'What can be spent now, in USD.' }),
  reserved: usd('What requests in flight hold, in USD. The unused part becomes available when they end.'),
  total_credits: usd('All credits ever added, in USD.'),
  total_usage: usd('All spending so far, in USD. The rest of the credits is available or reserved.'),
});

const inData = (schema: typeof key | typeof credits, description: string) =>
  Type.Object({ data: { ...schema, description } }, { description });

export const keyStatusSchemas = {
  KeyStatus: inData(key, 'The limits of a key, and what it has spent.'),
  Credits: inData(credits, "The balance of a key's account."),
};

const errors: readonly ErrorCode[] = [
  'missing_api_key',
  'invalid_api_key',
  'wrong_key_type',
  'key_expired',
  'key_deactivated',
  'email_not_verified',
  'project_archived',
  'address_not_allowed',
  'rate_limit_exceeded',
  'internal_error',
  'wallet_unavailable',
];

const common = { tag: 'Keys', security: proxyKey, errors, errorForm: inferenceErrorForm } as const;

export const keyStatusPaths = {
  [keyPath]: {
    get: describeOperation({
      ...common,
      id: 'getKey',
      summary: 'Read the limits and spending of this key',
      description:
        'For holders of a proxy key who have no access to its account. Free, but counts towards the limit of requests per ' +
        'minute.',
      response: {
        description: 'The key that the request was sent with.',
        headers: rateHeaders,
        schema: 'KeyStatus',
        example: {
          data: {
            label: 'ms-07Zk3QpL',
            ...noSpending,
            limit: 100,
            limit_remaining: 74.5,
            limit_daily: 5,
            limit_daily_remaining: 4.999973,
            limit_monthly: null,
            limit_monthly_remaining: null,
            usage: 25.5,
            usage_daily: 0.000027,
            usage_monthly: 3.2,
            rate_limit: {
              ...recordOf(rateLimits, ({ statusName, fallback }) => [statusName, fallback || null]),
              interval: '1m',
            },
            cache_seconds: null,
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
        'The balance that all keys of the account share. Free, but counts towards the limit of requests per minute.',
      response: {
        description: 'The balance of the account that the key belongs to.',
        headers: rateHeaders,
        schema: 'Credits',
        example: { data: { available: 74.49, reserved: 0.01, total_credits: 100, total_usage: 25.5 } },
      },
    }),
  },
};
