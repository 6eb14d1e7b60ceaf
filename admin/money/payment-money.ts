/**
 * The money of payments: kopecks and cents, what they are in dollars, and how roubles follow dollars through a lot. All
 * integers, each rounding with a name, as in money.ts.
 */
import { divideRoundingDown, divideRoundingUp, formatDecimal, parseDecimal } from '../../shared/exact-decimal.ts';
import { type NanoUsd, nanoUsd, type RubKopecks, type RubPerUsd, rubKopecks } from '../../shared/money.ts';

declare const unit: unique symbol;

/** An amount in the smallest unit of its currency: kopecks or cents. */
export type MinorUnits = bigint & { readonly [unit]: 'minor units' };

/** A part of a whole in millionths: 25_000n is 2.5 percent. */
export type PartsPerMillion = bigint & { readonly [unit]: 'ppm' };

/** Dollars, and the roubles that belong to them. */
export interface RoublesOfDollars {
  readonly nano: NanoUsd;
  readonly kopecks: RubKopecks;
}

const minorDecimals = 2;
const percentDecimals = 4;
const million = 1_000_000n;
const nanoPerCent = 10_000_000n;
/** A rate has 4 decimals, a nano-dollar 9, a kopeck 2. */
const nanoRatePerKopeck = 10n ** 11n;

export function minorUnits(value: bigint): MinorUnits {
  return value as MinorUnits;
}

export function partsPerMillion(value: bigint): PartsPerMillion {
  return value as PartsPerMillion;
}

/** "2.5" percent → 25_000n. At most 4 decimals. */
export function parsePercent(text: string): PartsPerMillion {
  return parseDecimal(text, percentDecimals) as PartsPerMillion;
}

/** 25_000n → "2.5" percent. */
export function formatPercent(part: PartsPerMillion): string {
  return formatDecimal(part, percentDecimals);
}

/** "1000.5" → 100_050n. Throws RangeError on anything but a plain decimal of at most 2 decimals. */
export function parseMinorUnits(text: string): MinorUnits {
  return parseDecimal(text, minorDecimals) as MinorUnits;
}

/** 100_050n → "1000.50", with both decimals, as providers write amounts. */
export function formatMinorUnits(amount: MinorUnits): string {
  const [whole = '', fraction = ''] = formatDecimal(amount, minorDecimals).split('.');
  return `${whole}.${fraction.padEnd(minorDecimals, '0')}`;
}

export function centsToUsd(cents: MinorUnits): NanoUsd {
  return (cents * nanoPerCent) as NanoUsd;
}

/** What kopecks buy: roubles ÷ (rate × (1 + margin)), rounded down to a nano-dollar. */
export function kopecksToUsd(kopecks: RubKopecks, rate: RubPerUsd, margin: PartsPerMillion): NanoUsd {
  return divideRoundingDown(kopecks * nanoRatePerKopeck * million, rate * (million + margin)) as NanoUsd;
}

/** The fewest kopecks that buy an amount. */
export function kopecksToBuy(amount: NanoUsd, rate: RubPerUsd, margin: PartsPerMillion): RubKopecks {
  return divideRoundingUp(amount * rate * (million + margin), nanoRatePerKopeck * million) as RubKopecks;
}

/** The most kopecks that buy no more than an amount. */
export function kopecksWithin(amount: NanoUsd, rate: RubPerUsd, margin: PartsPerMillion): RubKopecks {
  return divideRoundingDown(amount * rate * (million + margin), nanoRatePerKopeck * million) as RubKopecks;
}

/** The fewest cents that are at least an amount. */
export function centsToBuy(amount: NanoUsd): MinorUnits {
  return divideRoundingUp(amount, nanoPerCent) as MinorUnits;
}

/** Dollars in kopecks at a rate, rounded to the nearest kopeck, halves up. */
export function usdToKopecks(amount: NanoUsd, rate: RubPerUsd): RubKopecks {
  return divideRoundingDown(amount * rate * 2n + nanoRatePerKopeck, nanoRatePerKopeck * 2n) as RubKopecks;
}

/** The roubles of the first `part` of a whole: rounded down, so that the roubles of successive parts sum to the whole's. */
export function kopecksOfPart(part: NanoUsd, whole: RoublesOfDollars): RubKopecks {
  return divideRoundingDown(whole.kopecks * part, whole.nano) as RubKopecks;
}

/** The smallest first part of a whole that has these roubles: the inverse of `kopecksOfPart`. */
export function partWithKopecks(kopecks: RubKopecks, whole: RoublesOfDollars): NanoUsd {
  return divideRoundingUp(kopecks * whole.nano, whole.kopecks) as NanoUsd;
}

/**
 * Kopecks shared out in proportion to dollars, so that the shares sum to the whole: each is rounded down, then the largest
 * remainders get one kopeck more, earlier ones first. Weights are not negative, and not all zero.
 */
export function shareKopecks(kopecks: RubKopecks, weights: readonly NanoUsd[]): RubKopecks[] {
  const whole = { nano: nanoUsd(sumOf(weights)), kopecks };
  const shares: bigint[] = weights.map((weight) => kopecksOfPart(weight, whole));
  const remainders = weights.map((weight, index) => ({
    index,
    remainder: kopecks * weight - (shares[index] ?? 0n) * whole.nano,
  }));
  // Sorting is stable, so that equal ones keep their order.
  remainders.sort((one, other) => (one.remainder < other.remainder ? 1 : one.remainder > other.remainder ? -1 : 0));
  const left = Number(kopecks - sumOf(shares));
  for (const { index } of remainders.slice(0, left)) shares[index] = (shares[index] ?? 0n) + 1n;
  return shares.map(rubKopecks);
}

/** The part of an amount that is tax, where the amount includes it: rounded to the nearest kopeck, halves up. */
export function includedTax(kopecks: RubKopecks, rate: PartsPerMillion): RubKopecks {
  const whole = million + rate;
  return divideRoundingDown(kopecks * rate * 2n + whole, whole * 2n) as RubKopecks;
}

function sumOf(amounts: readonly bigint[]): bigint {
  return amounts.reduce((sum, amount) => sum + amount, 0n);
}

/** How many whole cents an amount has. */
export function wholeCents(amount: NanoUsd): MinorUnits {
  return divideRoundingDown(amount, nanoPerCent) as MinorUnits;
}
