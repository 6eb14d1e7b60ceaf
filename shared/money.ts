/**
 * Money: exact integers with a unit in their type, and a name for every rounding.
 *
 * Amounts are nano-USD (1e-9 USD), prices are pico-USD (1e-12 USD) per token. A request's cost is summed exactly in
 * pico-USD and rounded up once, to a nano-dollar. No floating-point number is involved; `toJsonNumber` is the only
 * conversion to one, for the number fields of the API.
 */
import {
  divideRoundingDown,
  divideRoundingUp,
  formatDecimal,
  parseDecimal,
  unitsRoundedUp,
  type WrittenNumber,
} from './exact-decimal.ts';

declare const unit: unique symbol;

/** A signed amount in billionths of a US dollar. */
export type NanoUsd = bigint & { readonly [unit]: 'nano-USD' };

/** An exact amount in trillionths of a US dollar, before it is rounded to a nano-dollar. */
export type PicoUsd = bigint & { readonly [unit]: 'pico-USD' };

/** A price in trillionths of a US dollar for one token. */
export type PicoUsdPerToken = bigint & { readonly [unit]: 'pico-USD per token' };

/** A price in trillionths of a US dollar for one image. */
export type PicoUsdEach = bigint & { readonly [unit]: 'pico-USD each' };

/** The price of one billable unit of any kind. */
type PicoUsdPerUnit = PicoUsdPerToken | PicoUsdEach;

/** Roubles for one US dollar in ten-thousandths, the precision of the Bank of Russia. */
export type RubPerUsd = bigint & { readonly [unit]: 'RUB/10000 per USD' };

/** An amount in hundredths of a rouble, as thresholds are set. */
export type RubKopecks = bigint & { readonly [unit]: 'RUB/100' };

/** A factor on the provider's price in millionths: 1_200_000n is a markup of 1.20. */
export type Markup = bigint & { readonly [unit]: 'millionths' };

/** The largest wallet: below 2^53 nano-USD, so that Lua's doubles compare amounts exactly. */
export const walletLimitNano = 9_000_000_000_000_000n as NanoUsd;

export const zeroNano = 0n as NanoUsd;

const nanoDecimals = 9;
const picoDecimals = 12;
const rateDecimals = 4;
const kopeckDecimals = 2;
const markupDecimals = 6;
const perMillionDecimals = picoDecimals - 6;
const picoPerNano = 1_000n;

export function nanoUsd(value: bigint): NanoUsd {
  return value as NanoUsd;
}

export function picoUsdPerToken(value: bigint): PicoUsdPerToken {
  return value as PicoUsdPerToken;
}

export function picoUsdEach(value: bigint): PicoUsdEach {
  return value as PicoUsdEach;
}

export function rubKopecks(value: bigint): RubKopecks {
  return value as RubKopecks;
}

export function rubRate(value: bigint): RubPerUsd {
  return value as RubPerUsd;
}

/** So many of one billable unit, at their price. */
export interface CostPart {
  readonly count: number;
  readonly price: PicoUsdPerUnit;
}

/** The exact cost of a request, rounded up once. Throws RangeError on a count that is not a whole number ≥ 0. */
export function costOf(parts: readonly CostPart[]): NanoUsd {
  return ceilToNano(picoOf(parts));
}

/** The same before rounding. Throws RangeError as costOf does. */
export function exactCostOf(parts: readonly CostPart[]): PicoUsd {
  return picoOf(parts) as PicoUsd;
}

/** The exact cost with another part. Throws RangeError as costOf does. */
export function withPart(pico: PicoUsd, part: CostPart): PicoUsd {
  return isCounted(part.count) ? ((pico + BigInt(part.count) * part.price) as PicoUsd) : pico;
}

/** The one rounding of a cost: up, to a nano-dollar. */
export function roundedCost(pico: PicoUsd): NanoUsd {
  return ceilToNano(pico);
}

/** How much an amount exceeds an exact cost: what the rounding of costOf has added. */
export function roundingOf(amount: NanoUsd, exact: PicoUsd): PicoUsd {
  return (amount * picoPerNano - exact) as PicoUsd;
}

/**
 * The most tokens at `price` whose cost, together with `parts`, stays within `budgetNano` when rounded like costOf.
 * Undefined if the budget does not cover the parts alone, `tokensMax` if it would cover more.
 */
export function tokensWithin(
  budgetNano: NanoUsd,
  cost: { parts: readonly CostPart[]; price: PicoUsdPerToken; tokensMax: number },
): number | undefined {
  const leftPico = budgetNano * picoPerNano - picoOf(cost.parts);
  if (leftPico < 0n) return undefined;
  const needed = BigInt(cost.tokensMax) * cost.price;
  return leftPico >= needed ? cost.tokensMax : Number(divideRoundingDown(leftPico, cost.price));
}

/** The listed price: the provider's price with the markup, rounded up to a pico-dollar. */
export function withMarkup<Price extends PicoUsdPerUnit>(price: Price, markup: Markup): Price {
  return divideRoundingUp(price * markup, 10n ** BigInt(markupDecimals)) as Price;
}

/** "10.5" → 10_500_000_000n. Throws RangeError on anything but a plain decimal of at most 9 decimals. */
export function parseUsd(text: string): NanoUsd {
  return parseDecimal(text, nanoDecimals) as NanoUsd;
}

/** "0.15" USD per million tokens → 150_000n pico-USD per token. At most 6 decimals. */
export function parsePricePerMillion(text: string): PicoUsdPerToken {
  return parseDecimal(text, perMillionDecimals) as PicoUsdPerToken;
}

/** "0.042" USD for one image or request → 42_000_000_000n pico-USD. At most 9 decimals. */
export function parsePriceEach(text: string): PicoUsdEach {
  return (parseDecimal(text, nanoDecimals) * picoPerNano) as PicoUsdEach;
}

/** A price per token that another program has written, rounded up to what a catalogue can hold: a pico-dollar. */
export function readPricePerToken(written: WrittenNumber): PicoUsdPerToken {
  return unitsRoundedUp(written, picoDecimals) as PicoUsdPerToken;
}

/** The same for an image or a request: rounded up to a nano-dollar. */
export function readPriceEach(written: WrittenNumber): PicoUsdEach {
  return (unitsRoundedUp(written, nanoDecimals) * picoPerNano) as PicoUsdEach;
}

export function parseMarkup(text: string): Markup {
  return parseDecimal(text, markupDecimals) as Markup;
}

export function parseRubPerUsd(text: string): RubPerUsd {
  return parseDecimal(text, rateDecimals) as RubPerUsd;
}

/** "500.5" → 50_050n. Throws RangeError on anything but a plain decimal of at most 2 decimals. */
export function parseRub(text: string): RubKopecks {
  return parseDecimal(text, kopeckDecimals) as RubKopecks;
}

export function formatRubKopecks(amount: RubKopecks): string {
  return formatDecimal(amount, kopeckDecimals);
}

/** The rate if roubles are quoted for `nominal` dollars, rounded to the nearest ten-thousandth, halves up. */
export function rubPerUsdOf(quote: RubPerUsd, nominal: number): RubPerUsd {
  const divisor = BigInt(nominal);
  return divideRoundingDown(quote * 2n + divisor, divisor * 2n) as RubPerUsd;
}

/** 10_500_000_000n → "10.5". */
export function formatUsd(amount: NanoUsd): string {
  return formatDecimal(amount, nanoDecimals);
}

/** 1_230_000n → "0.00000123". */
export function formatPicoUsd(amount: PicoUsd): string {
  return formatDecimal(amount, picoDecimals);
}

/** USD per million tokens, as in the catalogue file. */
export function formatPricePerMillion(price: PicoUsdPerToken): string {
  return formatDecimal(price, perMillionDecimals);
}

/** USD for one image or request. */
export function formatPriceEach(price: PicoUsdEach): string {
  return formatDecimal(price, picoDecimals);
}

/** 1_200_000n → "1.2". */
export function formatMarkup(markup: Markup): string {
  return formatDecimal(markup, markupDecimals);
}

/** USD per token, as in `pricing.prompt` of the model list. */
export function formatPricePerToken(price: PicoUsdPerToken): string {
  return formatDecimal(price, picoDecimals);
}

export function formatRubPerUsd(rate: RubPerUsd): string {
  return formatDecimal(rate, rateDecimals);
}

/** RUB per 100,000 tokens, exact. */
export function formatRubPer100kTokens(price: PicoUsdPerToken, rate: RubPerUsd): string {
  return formatDecimal(price * rate * 100_000n, picoDecimals + rateDecimals);
}

/** RUB per million tokens, exact. */
export function formatRubPerMillionTokens(price: PicoUsdPerToken, rate: RubPerUsd): string {
  return formatDecimal(price * rate, perMillionDecimals + rateDecimals);
}

/** RUB for one image or request, exact. */
export function formatRubEach(price: PicoUsdEach, rate: RubPerUsd): string {
  return formatDecimal(price * rate, picoDecimals + rateDecimals);
}

/** An amount in roubles with every decimal, for text that rounds on its own. */
export function formatRubExactly(amount: NanoUsd, rate: RubPerUsd): string {
  return formatDecimal(amount * rate, nanoDecimals + rateDecimals);
}

/** An amount in roubles, rounded down to a kopeck: customers never see more than they have. */
export function formatRub(amount: NanoUsd, rate: RubPerUsd): string {
  const kopecks = divideRoundingDown(amount * rate, 10n ** BigInt(nanoDecimals + rateDecimals - kopeckDecimals));
  return formatDecimal(kopecks, kopeckDecimals);
}

/** For the number fields of the API only. Exact to 15 significant digits, which is every nano-dollar below $1M. */
export function toJsonNumber(amount: NanoUsd): number {
  return Number(formatUsd(amount));
}

/** How much larger an amount is than another, in percent with two decimals, halves away from zero; undefined of nothing. */
export function percentChange(from: PicoUsd, to: PicoUsd): string | undefined {
  if (from === 0n) return undefined;
  const difference = to - from;
  const size = difference < 0n ? -difference : difference;
  const hundredths = divideRoundingDown(size * 20_000n + from, from * 2n);
  return formatDecimal(difference < 0n ? -hundredths : hundredths, 2);
}

/** Whether a price is more than so many times another one, or the other more than so many times it. From or to nothing is. */
export function differsByMoreThan<Price extends PicoUsdPerUnit>(one: Price, other: Price, factor: bigint): boolean {
  return one > other * factor || other > one * factor;
}

/** How much a cost exceeds another one. */
export function costDifference(from: PicoUsd, to: PicoUsd): PicoUsd {
  return (to - from) as PicoUsd;
}

function picoOf(parts: readonly CostPart[]): bigint {
  let pico = 0n;
  for (const part of parts) if (isCounted(part.count)) pico += BigInt(part.count) * part.price;
  return pico;
}

/** Whether it is more than none. */
function isCounted(count: number): boolean {
  if (!Number.isSafeInteger(count) || count < 0) throw new RangeError(`count ${count}`);
  return count > 0;
}

/** The one rounding of a cost; the wallet's scripts round the same way (`common/*.lua`). */
function ceilToNano(pico: bigint): NanoUsd {
  return divideRoundingUp(pico, picoPerNano) as NanoUsd;
}
