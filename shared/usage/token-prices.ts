/** The prices per token of a model: a unit without a price of its own costs what the unit costs that it is part of. */
import { type PicoUsdPerToken, picoUsdPerToken } from '../money.ts';
import { perTokenPrice, type TokenPrice, tokenUnits, type UnitOfTokens, wholePriceOf } from './billable-units.ts';

export type TokenPrices = { readonly [Price in TokenPrice]: PicoUsdPerToken };

/** `picoUsd` gives each price as it is stored. Throws where a unit has none, and is part of no other. */
export function readTokenPrices(picoUsd: (price: TokenPrice) => bigint | string | null | undefined): TokenPrices {
  return perTokenPrice((unit) => {
    const whole = wholePriceOf(unit);
    const pico = picoUsd(unit.price) ?? (whole === undefined ? undefined : picoUsd(whole));
    if (pico === undefined || pico === null) throw new Error(`a model without a price of ${unit.name}`);
    return picoUsdPerToken(BigInt(pico));
  });
}

/** The units that are part of another one and cost something else than it does. */
export function partsWithOwnPrice(prices: TokenPrices): UnitOfTokens[] {
  return tokenUnits.filter((unit) => prices[unit.price] !== prices[wholePriceOf(unit) ?? unit.price]);
}

/** The highest that a token of this unit can cost, whichever of its parts it turns out to be. */
export function highestPriceOf(prices: TokenPrices, whole: TokenPrice): PicoUsdPerToken {
  let highest = prices[whole];
  for (const unit of tokenUnits) {
    if (wholePriceOf(unit) === whole && prices[unit.price] > highest) highest = prices[unit.price];
  }
  return highest;
}
