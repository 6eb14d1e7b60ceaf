/** One version of a model's prices, line by line, each compared with the version before. */
import { changedUnits } from '../../../../shared/usage/billable-units.ts';
import { formatRate } from '../../../../shared/usage/rates.ts';
import { decimalOf, unitsOf } from '../../../app/money/decimal.ts';
import { shownClasses } from '../../../app/money/priced-units.ts';
import type { PriceVersion } from '../queries.ts';

export interface PriceLine {
  /** A class of tokens such as `prompt`, `flex>200000 prompt` at another rate, or `size/quality` of an image. */
  readonly name: string;
  /** USD per million tokens, or per image. */
  readonly listed: string;
  readonly provider: string;
  /** Whether there is a version before, and it has no such price. */
  readonly isNew: boolean;
  /** What customers pay more than before; undefined if it cannot be compared. */
  readonly percent: string | undefined;
}

export function linesOf(version: PriceVersion, earlier: PriceVersion | undefined): PriceLine[] {
  const before = new Map(earlier === undefined ? [] : pricesOf(earlier).map(({ name, listed }) => [name, listed]));
  return pricesOf(version).map((price) => {
    const from = before.get(price.name);
    const percent = from === undefined ? undefined : percentChange(from, price.listed);
    return { ...price, isNew: earlier !== undefined && from === undefined, percent };
  });
}

function pricesOf({
  listed,
  provider,
  images,
  perUnit,
  rates,
}: PriceVersion): Pick<PriceLine, 'name' | 'listed' | 'provider'>[] {
  const ofUnits = perUnit.map(({ unit, ...prices }) => ({ name: unit, ...prices }));
  if (images.length > 0) {
    const ofImages = images.map(({ size, quality, ...prices }) => ({ name: `${size}/${quality}`, ...prices }));
    return [...ofImages, ...ofUnits];
  }
  return [
    ...shownClasses(listed).map((name) => ({ name, listed: listed[name], provider: provider[name] })),
    ...ofUnits,
    ...rates.flatMap((rate) => {
      const at = formatRate({ tier: rate.serviceTier, above: rate.abovePromptTokens });
      const changed = changedUnits(rate.listed, listed).map(({ price }) => price);
      return changed.map((name) => ({
        name: `${at} ${name}`,
        listed: rate.listed[name],
        provider: rate.provider[name],
      }));
    }),
  ];
}

/** By how many percent `after` is above `before`, to a tenth; undefined if `before` is 0. */
function percentChange(before: string, after: string): string | undefined {
  const from = unitsOf(before);
  if (from === 0n) return undefined;
  const tenths = ((unitsOf(after) - from) * 1_000n) / (from < 0n ? -from : from);
  return decimalOf(tenths, 1);
}
