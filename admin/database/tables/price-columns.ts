/** Two columns of `model_prices` for each price: the provider's, and the listed one that customers pay. */
import { bigint } from 'drizzle-orm/pg-core';
import {
  type EachPrice,
  eachUnits,
  type StoredTokenPrice,
  type TokenPrice,
  tokenUnits,
} from '../../../shared/usage/billable-units.ts';

export type PriceSide = 'provider' | 'listed';

/** `providerPromptPico` or `promptPico`. */
export type PriceColumn<Price extends TokenPrice | EachPrice = TokenPrice | EachPrice> =
  | `provider${Capitalize<Price>}Pico`
  | `${Price}Pico`;

const picoUsd = (name: string) => bigint(name, { mode: 'bigint' });
const storedPicoUsd = (name: string) => picoUsd(name).notNull();

type PriceColumns = {
  [Name in PriceColumn]: Name extends PriceColumn<StoredTokenPrice>
    ? ReturnType<typeof storedPicoUsd>
    : ReturnType<typeof picoUsd>;
};

/** Null is stored for a price that was not given: it is that of the whole then, or nothing. */
export function priceColumns(): PriceColumns {
  const columns = [...tokenUnits, ...eachUnits].flatMap((unit) => {
    const { price, priceColumn } = unit;
    const column = unit.unit === 'token' && unit.storesPrice === 'always' ? storedPicoUsd : picoUsd;
    return [
      [priceColumnOf(price, 'provider'), column(`provider_${priceColumn}_pico`)],
      [priceColumnOf(price, 'listed'), column(`${priceColumn}_pico`)],
    ] as const;
  });
  // TypeScript does not derive the names of members that are computed.
  return Object.fromEntries(columns) as PriceColumns;
}

export function priceColumnOf<Price extends TokenPrice | EachPrice>(price: Price, side: PriceSide): PriceColumn<Price> {
  if (side === 'listed') return `${price}Pico` as PriceColumn<Price>;
  return `provider${price.charAt(0).toUpperCase()}${price.slice(1)}Pico` as PriceColumn<Price>;
}
