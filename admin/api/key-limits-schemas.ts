/** The limits of a proxy key: which models it may use, what it may spend, and how fast. */

import { Type } from '@sinclair/typebox';
import { withoutUndefined } from '../../shared/members.ts';
import { type NanoUsd, nanoUsd } from '../../shared/money.ts';
import type { Key } from '../keys/announce-key.ts';
import type { KeyLimitColumns } from '../keys/key-limits.ts';
import { nullableInput } from './checked-by.ts';
import { usdOrNullFields, usdOrNullValues } from './money.ts';
import { closedObject, nullable } from './schemas.ts';
import { parseUsdAmount, type UsdAmount, usdAmount } from './usd-amount.ts';

const allowedModelsMax = 100;
const rateMax = 1_000_000_000;

const allowedModels = Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
  minItems: 1,
  maxItems: allowedModelsMax,
  uniqueItems: true,
  description: `1 to ${allowedModelsMax} different model ids`,
});
const rate = Type.Integer({ minimum: 1, maximum: rateMax, description: `a whole number from 1 to ${rateMax}` });
const spend = Type.Optional(nullableInput(usdAmount));
const changeRate = Type.Optional(nullableInput(rate));

/** What is not sent stays as it is; null takes a limit away. */
export const changeLimitsSchema = closedObject(
  {
    allowedModels: Type.Optional(nullableInput(allowedModels)),
    spendLimits: Type.Optional(
      closedObject({ day: spend, month: spend, total: spend }, { description: 'an object with day, month, total' }),
    ),
    rateLimits: Type.Optional(
      closedObject(
        { requestsPerMinute: changeRate, tokensPerMinute: changeRate, concurrentStreams: changeRate },
        {
          description:
            'an object with requestsPerMinute, tokensPerMinute, concurrentStreams (requests at once, streamed or not)',
        },
      ),
    ),
  },
  { description: 'an object with allowedModels, spendLimits, rateLimits' },
);

export type LimitsInput = typeof changeLimitsSchema.static;

export const limitsSchema = Type.Object({
  allowedModels: nullable(allowedModels),
  spendLimits: Type.Object(
    {
      ...usdOrNullFields('day', 'In a day (UTC), in USD; null is no limit.'),
      ...usdOrNullFields('month', 'In a month (UTC), in USD; null is no limit.'),
      ...usdOrNullFields('total', 'In all, in USD; null is no limit.'),
    },
    { description: 'What the key may spend.' },
  ),
  rateLimits: Type.Object(
    { requestsPerMinute: nullable(rate), tokensPerMinute: nullable(rate), concurrentStreams: nullable(rate) },
    { description: "Null is the gateway's default. The account's own limits hold for all of its keys together." },
  ),
});

export const limitsExample = {
  allowedModels: ['gpt-4o-mini'],
  spendLimits: { day: 5, dayUsd: '5', month: 50, monthUsd: '50', total: null, totalUsd: null },
  rateLimits: { requestsPerMinute: 600, tokensPerMinute: null, concurrentStreams: null },
} satisfies typeof limitsSchema.static;

export function readLimits({ allowedModels, spendLimits, rateLimits }: LimitsInput = {}): KeyLimitColumns {
  return withoutUndefined({
    allowedModels,
    spendLimitDayNano: readAmount(spendLimits?.day),
    spendLimitMonthNano: readAmount(spendLimits?.month),
    spendLimitTotalNano: readAmount(spendLimits?.total),
    requestsPerMinute: rateLimits?.requestsPerMinute,
    tokensPerMinute: rateLimits?.tokensPerMinute,
    concurrentStreams: rateLimits?.concurrentStreams,
  });
}

export function renderLimits(key: Key): typeof limitsSchema.static {
  const { allowedModels, requestsPerMinute, tokensPerMinute, concurrentStreams } = key;
  return {
    allowedModels,
    spendLimits: {
      ...usdOrNullValues('day', amountOf(key.spendLimitDayNano)),
      ...usdOrNullValues('month', amountOf(key.spendLimitMonthNano)),
      ...usdOrNullValues('total', amountOf(key.spendLimitTotalNano)),
    },
    rateLimits: { requestsPerMinute, tokensPerMinute, concurrentStreams },
  };
}

function readAmount(amount: UsdAmount | null | undefined): NanoUsd | null | undefined {
  return typeof amount === 'number' || typeof amount === 'string' ? parseUsdAmount(amount) : amount;
}

function amountOf(nano: bigint | null): NanoUsd | null {
  return nano === null ? null : nanoUsd(nano);
}
