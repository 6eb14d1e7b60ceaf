/** What has a price of its own, in the order in which it is shown, except for images, which have one for each size and quality. */
import {
  type EachPrice,
  eachUnits,
  followsWhole,
  isLater,
  type TokenPrice,
  tokenUnits,
  unitsInstead,
  wholePriceOf,
} from '../../../shared/usage/billable-units.ts';
import { productOf } from './decimal.ts';

export type TokenClass = TokenPrice;
export const tokenClasses: readonly TokenClass[] = tokenUnits.map(({ price }) => price);
export const pricedUnits: readonly (TokenClass | EachPrice)[] = [
  ...tokenClasses,
  ...eachUnits.map(({ price }) => price),
];

/** Those that every model has, and others where they cost something else than what they are part of. */
export function shownClasses(prices: Readonly<Record<TokenClass, string>>): TokenClass[] {
  return tokenUnits.filter((unit) => !isLater(unit) || !followsWhole(unit, prices)).map(({ price }) => price);
}

export function isOfOutput(name: TokenClass): boolean {
  return name === 'completion' || tokenUnits.some((unit) => unit.price === name && wholePriceOf(unit) === 'completion');
}

/** A price of one as the price of a quantity that people compare. */
export function shownPrice(unit: EachPrice, price: string): string {
  const { shownPer } = unitOfPrice(unit);
  return productOf(price, String(shownPer));
}

/** Whether it is paid instead of tokens, and not in addition to them. */
export function isPaidInstead({ unit }: { readonly unit: EachPrice }): boolean {
  return unitsInstead.some(({ name }) => name === unitOfPrice(unit).name);
}

export function unitOfPrice(price: EachPrice): (typeof eachUnits)[number] {
  const found = eachUnits.find((unit) => unit.price === price);
  if (found === undefined) throw new Error(`no unit has the price ${price}`);
  return found;
}
