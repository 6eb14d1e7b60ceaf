/** The limits of a proxy key: which models it may use, what it may spend, and how fast. */
import { Type } from '@sinclair/typebox';
import { withoutUndefined } from '../../../shared/members.ts';
import { type NanoUsd, nanoUsd } from '../../../shared/money.ts';
import type { Key } from '../../keys/find-key.ts';
import type { KeyLimitColumns } from '../../keys/key-limits.ts';
import { nullableInput } from '../fields/checked-by.ts';
import { usdOrNullFields, usdOrNullValues } from '../fields/money.ts';
import { closedObject, nullable } from '../fields/schemas.ts';
import { parseUsdAmount, type UsdAmount, usdAmount } from '../fields/usd-amount.ts';

const allowedModelsMax = 100;
const rateMax = 1_000_000_000;

const allowedModels = Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
  minItems: 1,
  maxItems: allowedModelsMax,
  uniqueItems: true,
  description: 'The ids of the only models that the key may use; null allows every model, future ones included.',
  expected: `1 to ${allowedModelsMax} different model ids`,
});
const rate = (description: string) =>
  Type.Integer({ minimum: 1, maximum: rateMax, description, expected: `a whole number from 1 to ${rateMax}` });
const rates = {
  requestsPerMinute: rate("Requests per minute; null is the gateway's default."),
  tokensPerMinute: rate("Tokens of prompts and completions per minute; null is the gateway's default."),
  concurrentStreams: rate("Concurrent requests, streamed or not; null is the gateway's default."),
};
const spendLimitOf = {
  day: 'The most that the key may spend in a day, which begins at 00:00 UTC; null is no limit.',
  month: 'The most that the key may spend in a calendar month in UTC; null is no limit.',
  total: 'The most that the key may spend in total; null is no limit.',
};
const changeSpend = (description: string) => Type.Optional(nullableInput(usdAmount(description)));

/** Omitted limits stay as they are; null removes a limit. */
export const changeLimitsSchema = closedObject(
  {
    allowedModels: Type.Optional(nullableInput(allowedModels)),
    spendLimits: Type.Optional(
      closedObject(
        {
          day: changeSpend(spendLimitOf.day),
          month: changeSpend(spendLimitOf.month),
          total: changeSpend(spendLimitOf.total),
        },
        {
          description: 'What the key may spend. A limit that is left out stays as it is.',
          expected: 'an object with day, month, total',
        },
      ),
    ),
    rateLimits: Type.Optional(
      closedObject(
        {
          requestsPerMinute: Type.Optional(nullableInput(rates.requestsPerMinute)),
          tokensPerMinute: Type.Optional(nullableInput(rates.tokensPerMinute)),
          concurrentStreams: Type.Optional(nullableInput(rates.concurrentStreams)),
        },
        {
          description: 'How fast the key may be used. A limit that is left out stays as it is.',
          expected:
            'an object with requestsPerMinute, tokensPerMinute, concurrentStreams (concurrent requests, streamed or not)',
        },
      ),
    ),
  },
  {
    description:
      'What the key may be used for, how much it may spend and how fast. For a new key, omitted limits are unlimited, ' +
      "or the gateway's default.",
    expected: 'an object with allowedModels, spendLimits, rateLimits',
  },
);

export type LimitsInput = typeof changeLimitsSchema.static;

export const limitsSchema = Type.Object(
  {
    allowedModels: nullable(allowedModels),
    spendLimits: Type.Object(
      {
        ...usdOrNullFields('day', `${spendLimitOf.day} In USD.`),
        ...usdOrNullFields('month', `${spendLimitOf.month} In USD.`),
        ...usdOrNullFields('total', `${spendLimitOf.total} In USD.`),
      },
      { description: 'What the key may spend. A request that could exceed a limit is refused before it is sent.' },
    ),
    rateLimits: Type.Object(
      {
        requestsPerMinute: nullable(rates.requestsPerMinute),
        tokensPerMinute: nullable(rates.tokensPerMinute),
        concurrentStreams: nullable(rates.concurrentStreams),
      },
      { description: 'How fast the key may be used. The limits of the account apply to all of its keys together.' },
    ),
  },
  { title: 'KeyLimits', description: 'What the key may be used for, how much it may spend and how fast.' },
);

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
