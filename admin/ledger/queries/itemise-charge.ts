/** What a request has cost, part by part, and how that becomes the amount that was charged. */
import {
  exactCostOf,
  type NanoUsd,
  nanoUsd,
  type PicoUsd,
  type PicoUsdEach,
  type PicoUsdPerToken,
  roundingOf,
} from '../../../shared/money.ts';
import {
  countsOf,
  countWithoutParts,
  type EachPrice,
  eachUnits,
  type TokenPrice,
  tokenUnits,
  type UnitCounts,
} from '../../../shared/usage/billable-units.ts';
import { formatVariant, type ImageVariant } from '../../../shared/usage/image-prices.ts';
import type { Rate } from '../../../shared/usage/rate-prices.ts';
import { formatRate } from '../../../shared/usage/rates.ts';
import { eachPrices, imagePrices, listedPrices, type PriceRow, ratesOf } from '../../database/rows/price-row.ts';
import type { UsageEvent } from './usage-event.ts';

interface ItemisedPart {
  /** The class of its price. */
  readonly tokenClass: TokenPrice;
  /** Counted in this class and in no other one. */
  readonly count: number;
  readonly price: PicoUsdPerToken;
  readonly exact: PicoUsd;
}

/** All images of a request are of one size and quality. */
interface ItemisedImages extends ImageVariant {
  readonly count: number;
  readonly price: PicoUsdEach;
  readonly exact: PicoUsd;
}

/** `exact` + `rounding` − `unchargedNano` = `chargedNano`, always. */
interface ItemisedUnits {
  readonly unit: EachPrice;
  readonly count: number;
  readonly price: PicoUsdEach;
  readonly exact: PicoUsd;
}

export interface ItemisedCharge {
  /** Undefined where the usual prices applied. */
  readonly rate: Rate | undefined;
  readonly parts: readonly ItemisedPart[];
  /** Undefined where the request made none. */
  readonly images: ItemisedImages | undefined;
  /** What is counted one by one. */
  readonly units: readonly ItemisedUnits[];
  /** The sum of all of them. */
  readonly exact: PicoUsd;
  /** What rounding up to whole nano-dollars added: less than one. */
  readonly rounding: PicoUsd;
  readonly totalNano: NanoUsd;
  readonly unchargedNano: NanoUsd;
  readonly chargedNano: NanoUsd;
}

export function itemiseCharge(event: UsageEvent, price: PriceRow): ItemisedCharge {
  const rate = appliedRate(event, price);
  const prices = rate?.prices ?? listedPrices(price);
  const counts = countsOf(event);
  const parts = tokenUnits.map((unit) => {
    const part = { count: countWithoutParts(counts, unit.name), price: prices[unit.price] };
    return { tokenClass: unit.price, ...part, exact: exactCostOf([part]) };
  });
  const images = itemiseImages(event, price);
  const each = itemiseEach(counts, price);
  const exact = exactCostOf([...parts, ...(images === undefined ? [] : [images]), ...each]);
  const totalNano = nanoUsd(event.costNano + event.unchargedNano);
  return {
    rate,
    parts,
    images,
    units: each,
    exact,
    rounding: roundingOf(totalNano, exact),
    totalNano,
    unchargedNano: nanoUsd(event.unchargedNano),
    chargedNano: nanoUsd(event.costNano),
  };
}

function itemiseEach(counts: UnitCounts, price: PriceRow): ItemisedUnits[] {
  const prices = eachPrices(price, 'listed');
  return eachUnits.flatMap(({ name, price: unit }) => {
    const priceOfOne = prices[unit];
    if (priceOfOne === undefined || counts[name] === 0) return [];
    const part = { count: counts[name], price: priceOfOne };
    return [{ unit, ...part, exact: exactCostOf([part]) }];
  });
}

/** Undefined where the usual prices applied. */
function appliedRate({ images, variant, requestId }: UsageEvent, price: PriceRow): Rate | undefined {
  if (images > 0 || variant === '') return undefined;
  const rate = ratesOf(price, 'listed').find((each) => formatRate(each) === variant);
  if (rate === undefined) throw new Error(`request ${requestId} was charged at the rate ${variant}, without a price`);
  return rate;
}

function itemiseImages(event: UsageEvent, price: PriceRow): ItemisedImages | undefined {
  const { images: count, variant, requestId } = event;
  if (count === 0) return undefined;
  const row = imagePrices(price).find((each) => formatVariant(each) === variant);
  if (row === undefined) throw new Error(`request ${requestId} was charged for images of ${variant}, without a price`);
  const part = { count, price: row.listed };
  return { size: row.size, quality: row.quality, ...part, exact: exactCostOf([part]) };
}
