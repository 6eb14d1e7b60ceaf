/**
 * Money in the responses of /api. Every amount that is a number comes with its exact value as a decimal string, under
 * the same name with the currency appended: `amount` and `amountUsd`. A schema declares both together, and a response
 * renders both together, so that no number is without its string.
 */
import { Type } from '@sinclair/typebox';
import { formatUsd, type NanoUsd, toJsonNumber } from '../../../shared/money.ts';
import {
  eachUnits,
  perTokenPrice,
  type TokenPrice,
  type UnitOfTokens,
  wholeOf,
} from '../../../shared/usage/billable-units.ts';
import { serviceTiers } from '../../../shared/usage/rates.ts';
import { nullable, oneOf } from './schemas.ts';
import { decimalOf } from './usd-amount.ts';

/** An amount that is only a decimal string, because a receipt is exact. */
export const usdText = (description: string, example?: string) =>
  Type.String({ description: `${description} A decimal string, in USD.`, example });

/** For examples: a class that is not given costs what its whole does. */
export function pricesLike({ prompt, completion, ...given }: ExamplePrices): Record<TokenPrice, string> {
  const known: Partial<Record<TokenPrice, string>> = { prompt, completion, ...given };
  const priceOf = (unit: UnitOfTokens): string => {
    const whole = wholeOf(unit);
    return known[unit.price] ?? (whole === undefined ? '0' : priceOf(whole));
  };
  return perTokenPrice(priceOf);
}

type ExamplePrices = Partial<Record<TokenPrice, string>> & { readonly prompt: string; readonly completion: string };

/** Of one model in the examples: what the gateway pays, and what the customer pays with a markup of 1.2. */
export const providerPrices = pricesLike({ prompt: '0.15', cachedPrompt: '0.075', completion: '0.6' });
export const listedPrices = pricesLike({ prompt: '0.18', cachedPrompt: '0.09', completion: '0.72' });

/** The price of a million tokens of each class, as decimal strings. */
export const pricesPerMillion = (
  description: string,
  { currency = 'USD', example = listedPrices }: PricesOptions = {},
) =>
  Type.Object(
    perTokenPrice(({ priceMeans }) => Type.String({ description: priceMeans })),
    { description: `${description} In ${currency} per million tokens, as decimal strings.`, example },
  );

interface PricesOptions {
  readonly currency?: 'USD' | 'RUB';
  readonly example?: Record<TokenPrice, string>;
}

/** What is counted one by one. */
export const eachUnit = oneOf(
  eachUnits.map(({ price }) => price),
  eachUnits.map(({ price, priceMeans }) => `\`${price}\`: ${priceMeans}`).join(' '),
);

/** When a rate applies. */
export const rateFields = {
  serviceTier: oneOf(
    serviceTiers,
    'The `service_tier` of the request: `default` is that of requests which name none, `batch` that of lines of batches.',
  ),
  abovePromptTokens: Type.Integer({
    minimum: 0,
    description: 'The prompt has more tokens than this; 0 is any prompt.',
    example: 200_000,
  }),
};

/** What an image of each size and quality costs, as decimal texts. */
export const pricesPerImage = (description: string) =>
  Type.Array(
    Type.Object({
      ...variantFields,
      price: Type.String({ description: 'The price of an image.' }),
    }),
    {
      description: `${description} In USD per image, as decimal strings. Empty if the model generates none.`,
      example: [],
    },
  );

/** Of what an image's price is. */
export const variantFields = {
  size: Type.String({
    description: 'The size of the images, such as `1024x1024`; `default` is any that has no price of its own.',
  }),
  quality: Type.String({
    description: 'The quality of the images, such as `high`; `default` is any that has no price of its own.',
  }),
};

type InUsd<Name extends string> = `${Name}Usd`;
/** A name that already ends in its currency does not repeat it: `balanceRub` and `balanceRubDecimal`. */
type InRub<Name extends string> = Name extends `${string}Rub` ? `${Name}Decimal` : `${Name}Rub`;

/** The schemas of an amount in USD: `...usdFields('amount', 'What was booked, in USD.')`. */
export const usdFields = <Name extends string>(name: Name, description: string, example?: string) =>
  pair(name, inUsd(name), { amount: amountNumber(description, example), decimal: decimalText(name, 'USD', example) });

/** For an amount that may be null, and then is null in both fields. */
export const usdOrNullFields = <Name extends string>(name: Name, description: string, example?: string) =>
  pair(name, inUsd(name), {
    amount: nullable(amountNumber(description, example)),
    decimal: nullable(decimalText(name, 'USD', example)),
  });

/** For an amount in roubles. */
export const rubFields = <Name extends string>(name: Name, description: string, example?: string) =>
  pair(name, inRub(name), { amount: amountNumber(description, example), decimal: decimalText(name, 'RUB', example) });

/** The response values for `usdFields`: `...usdValues('amount', amountNano)`. */
export const usdValues = <Name extends string>(name: Name, amountNano: NanoUsd) =>
  pair(name, inUsd(name), { amount: toJsonNumber(amountNano), decimal: formatUsd(amountNano) });

/** For `usdOrNullFields`. */
export const usdOrNullValues = <Name extends string>(name: Name, amountNano: NanoUsd | null) =>
  pair(name, inUsd(name), {
    amount: amountNano === null ? null : toJsonNumber(amountNano),
    decimal: amountNano === null ? null : formatUsd(amountNano),
  });

/** For `rubFields`, with an amount formatted by `formatRub` or `formatRubKopecks`. */
export const rubValues = <Name extends string>(name: Name, decimal: string) =>
  pair(name, inRub(name), { amount: Number(decimal), decimal });

/**
 * A body without the strings that repeat the number next to them, at any depth: a client that sends a response back
 * does not intend to set them. Other strings are left for the check that follows.
 */
export function withoutDecimals(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  const members = new Map<string, unknown>(Object.entries(body));
  const repeats = (name: string, value: unknown) => {
    const amountName = /^(.+)(?:Usd|Rub)$/.exec(name)?.[1];
    if (amountName === undefined || !members.has(amountName)) return false;
    const amount = members.get(amountName);
    return value === (typeof amount === 'number' ? decimalOf(amount) : amount);
  };
  const kept = [...members].filter(([name, value]) => !repeats(name, value));
  return Object.fromEntries(kept.map(([name, value]) => [name, withoutDecimals(value)]));
}

const inUsd = <Name extends string>(name: Name): InUsd<Name> => `${name}Usd`;

const inRub = <Name extends string>(name: Name) =>
  (name.endsWith('Rub') ? `${name}Decimal` : `${name}Rub`) as InRub<Name>;

/** The example is the decimal. */
const amountNumber = (description: string, example?: string) =>
  Type.Number({ description, example: example === undefined ? undefined : Number(example) });

const decimalText = (name: string, currency: 'USD' | 'RUB', example?: string) =>
  Type.String({ description: `The exact value of \`${name}\`, as a decimal string in ${currency}.`, example });

/** TypeScript does not infer computed member names. */
function pair<Name extends string, Exact extends string, Amount, Decimal>(
  name: Name,
  exactName: Exact,
  { amount, decimal }: { amount: Amount; decimal: Decimal },
) {
  return { [name]: amount, [exactName]: decimal } as { [Key in Name]: Amount } & { [Key in Exact]: Decimal };
}
