/** The classes of tokens that have a price, and what is counted one by one, in the order in which they are shown. */
import { eachUnits as countedUnits, type TokenPrice, tokenUnits } from '../../../shared/usage/billable-units.ts';

export type TokenClass = TokenPrice;
export const tokenClasses: readonly TokenClass[] = tokenUnits.map(({ price }) => price);
export const eachUnits = countedUnits.map(({ price }) => price);
