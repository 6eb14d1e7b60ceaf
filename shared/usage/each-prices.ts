/** The prices of what is counted one by one, such as requests. A price that a model does not have is absent. */
import { type PicoUsdEach, picoUsdEach } from '../money.ts';
import { type EachPrice, type EachPriceColumn, eachUnits } from './billable-units.ts';

export type EachPrices = { readonly [Price in EachPrice]?: PicoUsdEach };

/** `picoUsd` gives each price as it is stored. */
export function readEachPrices(picoUsd: (price: EachPrice) => bigint | string | null | undefined): EachPrices {
  const read = eachUnits.flatMap(({ price }) => {
    const pico = picoUsd(price) ?? undefined;
    return pico === undefined ? [] : [[price, picoUsdEach(BigInt(pico))] as const];
  });
  return Object.fromEntries(read);
}

/** Those that the model has, in the order of the units. */
export function listEachPrices(
  prices: EachPrices,
): { readonly unit: EachPrice; readonly column: EachPriceColumn; readonly price: PicoUsdEach }[] {
  return eachUnits.flatMap(({ price: unit, priceColumn: column }) => {
    const price = prices[unit];
    return price === undefined ? [] : [{ unit, column, price }];
  });
}
