/** The values of an entry of a price list. Numbers are the texts that they are written as (json-source.ts). */
import { readWrittenNumber, type WrittenNumber, wholeNumberOf } from '../../../shared/exact-decimal.ts';
import { type PicoUsdEach, type PicoUsdPerToken, readPriceEach, readPricePerToken } from '../../../shared/money.ts';
import { type StatedPrices, UnreadableOffer } from './offer.ts';

/** What a catalogue file can hold: nine digits before the point of a price per million tokens. */
const perTokenMax = 10n ** 15n;
/** Six digits before the point of any other price. */
const eachMax = 10n ** 18n;
const tokensMax = 1_000_000_000_000n;

/** USD per token. Undefined if there is none. Throws UnreadableOffer. */
export function pricePerToken(value: unknown, field: string): PicoUsdPerToken | undefined {
  const written = numberOf(value, field);
  if (written === undefined) return undefined;
  const price = readPricePerToken(written);
  if (price >= perTokenMax) throw new UnreadableOffer(`${field} is more than a catalogue can hold`);
  return price;
}

/** USD for one. Undefined if there is none. Throws UnreadableOffer. */
export function priceEach(value: unknown, field: string): PicoUsdEach | undefined {
  const written = numberOf(value, field);
  if (written === undefined) return undefined;
  const price = readPriceEach(written);
  if (price >= eachMax) throw new UnreadableOffer(`${field} is more than a catalogue can hold`);
  return price;
}

/** A whole number of at least 1; undefined if there is none. Throws UnreadableOffer. */
export function tokenCount(value: unknown, field: string): number | undefined {
  const written = numberOf(value, field);
  if (written === undefined) return undefined;
  const count = wholeNumberOf(written);
  if (count === undefined || count > tokensMax) throw new UnreadableOffer(`${field} is not a whole number`);
  return count === 0n ? undefined : Number(count);
}

/** `2030-06-30`, also of an instant. Undefined if there is none. Throws UnreadableOffer. */
export function dayOf(value: unknown, field: string): string | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  const day = typeof value === 'string' ? /^\d{4}-\d{2}-\d{2}(?=$|T)/.exec(value)?.[0] : undefined;
  const at = day === undefined ? Number.NaN : Date.parse(day);
  // A day that no month has would become one of the next month.
  if (day === undefined || Number.isNaN(at) || !new Date(at).toISOString().startsWith(day)) {
    throw new UnreadableOffer(`${field} is not a day`);
  }
  return day;
}

export function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
}

/** Lists write 0 for a part that has no price of its own. Where the prompt is free, everything may be. */
export function withoutUnpricedParts({ prompt, completion, ...parts }: StatedPrices): StatedPrices {
  const isFree = (prompt ?? 0n) === 0n && (completion ?? 0n) === 0n;
  const priced = Object.entries(parts).filter(([, price]) => price !== undefined && (isFree || price > 0n));
  return {
    ...(prompt !== undefined && { prompt }),
    ...(completion !== undefined && { completion }),
    ...Object.fromEntries(priced),
  };
}

function numberOf(value: unknown, field: string): WrittenNumber | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  const written = typeof value === 'string' ? readWrittenNumber(value) : undefined;
  if (written === undefined) throw new UnreadableOffer(`${field} is not a number of at least 0`);
  return written;
}
