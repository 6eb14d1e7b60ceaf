/** The prices per token of a model: a unit without a price of its own costs what the unit costs that it is part of. */
import { type PicoUsdPerToken, picoUsdPerToken } from '../money.ts';
import {
  followsWhole,
  perTokenPrice,
  type TokenPrice,
  tokenUnits,
  type UnitOfTokens,
  wholeOf,
} from './billable-units.ts';

export type TokenPrices = { readonly [Price in TokenPrice]: PicoUsdPerToken };

/** `picoUsd` gives each price as it is stored. Throws where a unit has none, and is part of no other. */
export function readTokenPrices(picoUsd: (price: TokenPrice) => bigint | string | null | undefined): TokenPrices {
  return perTokenPrice((unit) => picoUsdPerToken(BigInt(storedOrWhole(unit, picoUsd))));
}

function storedOrWhole(
  unit: UnitOfTokens,
  picoUsd: (price: TokenPrice) => bigint | string | null | undefined,
): bigint | string {
  const own = picoUsd(unit.price) ?? undefined;
  if (own !== undefined) return own;
  const whole = wholeOf(unit);
  if (whole === undefined) throw new Error(`a model without a price of ${unit.name}`);
  return storedOrWhole(whole, picoUsd);
}

/** The units that are part of another one and cost something else than it does. */
export function partsWithOwnPrice(prices: TokenPrices): UnitOfTokens[] {
  return tokenUnits.filter((unit) => unit.partOf !== undefined && !followsWhole(unit, prices));
}

/** The highest that a token of this unit can cost, whichever of its parts it turns out to be. */
export function highestPriceOf(prices: TokenPrices, whole: TokenPrice): PicoUsdPerToken {
  let highest = prices[whole];
  for (const { price } of unitsWithin[whole]) if (prices[price] > highest) highest = prices[price];
  return highest;
}

/** Parts, and their parts. */
const unitsWithin = perTokenPrice(({ price }) => tokenUnits.filter((unit) => isWithin(unit, price)));

function isWithin(unit: UnitOfTokens, whole: TokenPrice): boolean {
  const container = wholeOf(unit);
  return container !== undefined && (container.price === whole || isWithin(container, whole));
}
