/** What a request has cost, class of tokens by class, and how that becomes the amount that was charged. */
import {
  exactCostOf,
  type NanoUsd,
  nanoUsd,
  type PicoUsd,
  type PicoUsdPerToken,
  roundingOf,
} from '../../../shared/money.ts';
import type { modelPrices } from '../../../shared/tables/catalogue.ts';
import { priceColumnOf } from '../../../shared/tables/price-columns.ts';
import type { usageEvents } from '../../../shared/tables/usage.ts';
import { countWithoutParts, type TokenPrice, tokenUnits } from '../../../shared/usage/billable-units.ts';
import { readTokenPrices, type TokenPrices } from '../../../shared/usage/token-prices.ts';

export type PriceRow = typeof modelPrices.$inferSelect;
export type UsageEvent = typeof usageEvents.$inferSelect;

interface ItemisedPart {
  /** The class of its price. */
  readonly tokenClass: TokenPrice;
  /** Counted in this class and in no other one. */
  readonly count: number;
  readonly price: PicoUsdPerToken;
  readonly exact: PicoUsd;
}

/** `exact` + `rounding` − `unchargedNano` = `chargedNano`, always. */
export interface ItemisedCharge {
  readonly parts: readonly ItemisedPart[];
  /** The sum of the parts. */
  readonly exact: PicoUsd;
  /** What was added to `exact` to make it whole nano-dollars: less than one. */
  readonly rounding: PicoUsd;
  readonly totalNano: NanoUsd;
  readonly unchargedNano: NanoUsd;
  readonly chargedNano: NanoUsd;
}

export function itemiseCharge(event: UsageEvent, price: PriceRow): ItemisedCharge {
  const prices = listedPrices(price);
  const parts = tokenUnits.map((unit) => {
    const part = { count: countWithoutParts(event, unit.name), price: prices[unit.price] };
    return { tokenClass: unit.price, ...part, exact: exactCostOf([part]) };
  });
  const exact = exactCostOf(parts);
  const totalNano = nanoUsd(event.costNano + event.unchargedNano);
  return {
    parts,
    exact,
    rounding: roundingOf(totalNano, exact),
    totalNano,
    unchargedNano: nanoUsd(event.unchargedNano),
    chargedNano: nanoUsd(event.costNano),
  };
}

/** What customers pay. */
export function listedPrices(price: PriceRow): TokenPrices {
  return readTokenPrices((name) => price[priceColumnOf(name, 'listed')]);
}

/** What the gateway pays, before the markup. */
export function providerPrices(price: PriceRow): TokenPrices {
  return readTokenPrices((name) => price[priceColumnOf(name, 'provider')]);
}
