/** The limits of a proxy key: which models it may use, what it may spend, and how fast. */
import { Type } from '@sinclair/typebox';
import { perRateLimit, type RateLimitName, rateLimits, rateLimitsOf } from '../../../shared/limits/rate-limits.ts';
import {
  perSpendLimit,
  type SpendLimit,
  type SpendLimitName,
  spendLimits,
} from '../../../shared/limits/spend-limits.ts';
import { merged, recordOf, withoutUndefined } from '../../../shared/members.ts';
import { type NanoUsd, nanoUsd } from '../../../shared/money.ts';
import type { Key } from '../../keys/find-key.ts';
import type { KeyLimitColumns } from '../../keys/key-limits.ts';
import { nullableInput } from '../fields/checked-by.ts';
import { model } from '../fields/example-values.ts';
import { usdOrNullFields, usdOrNullValues } from '../fields/money.ts';
import { closedObject, nullable } from '../fields/schemas.ts';
import { parseUsdAmount, type UsdAmount, usdAmount } from '../fields/usd-amount.ts';

const allowedModelsMax = 100;
const rateMax = 1_000_000_000;

/** Of limits that are set; the others are null. */
const examples: {
  readonly spendLimits: Readonly<Partial<Record<SpendLimitName, string>>>;
  readonly rateLimits: Readonly<Partial<Record<RateLimitName, number>>>;
} = { spendLimits: { day: '5', month: '50' }, rateLimits: { requestsPerMinute: 600 } };

const allowedModels = Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
  minItems: 1,
  maxItems: allowedModelsMax,
  uniqueItems: true,
  description: 'The ids of the only models that the key may use; null allows every model, future ones included.',
  expected: `1 to ${allowedModelsMax} different model ids`,
  example: [model],
});
const rate = (description: string, example?: number) =>
  Type.Integer({ minimum: 1, maximum: rateMax, description, expected: `a whole number from 1 to ${rateMax}`, example });
const rates = perRateLimit(({ name, means }) =>
  rate(`${means}; null is the gateway's default.`, examples.rateLimits[name]),
);
const mostOf = ({ within }: SpendLimit) => `The most that the key may spend ${within}; null is no limit.`;
/** With the meaning of those whose name does not say it. */
const rateNames = rateLimits.map(({ name, window, means }) => (window ? name : `${name} (${means.toLowerCase()})`));

/** Omitted limits stay as they are; null removes a limit. */
export const changeLimitsSchema = closedObject(
  {
    allowedModels: Type.Optional(nullableInput(allowedModels)),
    spendLimits: Type.Optional(
      closedObject(
        perSpendLimit((limit) => Type.Optional(nullableInput(usdAmount(mostOf(limit))))),
        {
          description: 'What the key may spend. A limit that is left out stays as it is.',
          expected: `an object with ${spendLimits.map(({ name }) => name).join(', ')}`,
        },
      ),
    ),
    rateLimits: Type.Optional(
      closedObject(
        perRateLimit(({ name }) => Type.Optional(nullableInput(rates[name]))),
        {
          description: 'How fast the key may be used. A limit that is left out stays as it is.',
          expected: `an object with ${rateNames.join(', ')}`,
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
      merged(
        spendLimits.map((limit) =>
          usdOrNullFields(limit.name, `${mostOf(limit)} In USD.`, examples.spendLimits[limit.name]),
        ),
      ),
      { description: 'What the key may spend. A request that could exceed a limit is refused before it is sent.' },
    ),
    rateLimits: Type.Object(
      perRateLimit(({ name }) => nullable(rates[name])),
      { description: 'How fast the key may be used. The limits of the account apply to all of its keys together.' },
    ),
  },
  { title: 'KeyLimits', description: 'What the key may be used for, how much it may spend and how fast.' },
);

export function readLimits({
  allowedModels,
  spendLimits: spending,
  rateLimits: rates,
}: LimitsInput = {}): KeyLimitColumns {
  return withoutUndefined({
    allowedModels,
    ...recordOf(spendLimits, ({ property, name }) => [property, readAmount(spending?.[name])]),
    ...perRateLimit(({ name }) => rates?.[name]),
  });
}

export function renderLimits(key: Key): typeof limitsSchema.static {
  return {
    allowedModels: key.allowedModels,
    spendLimits: merged(spendLimits.map(({ name, property }) => usdOrNullValues(name, amountOf(key[property])))),
    rateLimits: rateLimitsOf(key),
  };
}

function readAmount(amount: UsdAmount | null | undefined): NanoUsd | null | undefined {
  return typeof amount === 'number' || typeof amount === 'string' ? parseUsdAmount(amount) : amount;
}

function amountOf(nano: bigint | null): NanoUsd | null {
  return nano === null ? null : nanoUsd(nano);
}
