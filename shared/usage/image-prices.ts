/**
 * What images cost: a table in each model, by size and quality. A charge keeps the row that applied, under the name of
 * `formatVariant`, so that its receipt can be explained from the price history for ever, however rows are chosen one day.
 */
import type { PicoUsdEach } from '../money.ts';

/** A row with it is for every size or quality that has no row of its own, and for those that the model chooses itself. */
export const anyValue = 'default';

export interface ImageVariant {
  readonly size: string;
  readonly quality: string;
}

export interface ImagePrice extends ImageVariant {
  readonly price: PicoUsdEach;
}

/** A row of `model_prices.image_prices`: decimal strings of pico-USD. */
export interface StoredImagePrice extends ImageVariant {
  readonly providerPico: string;
  readonly listedPico: string;
}

/** `1024x1024/high`. Neither has a slash in it. */
export function formatVariant({ size, quality }: ImageVariant): string {
  return `${size}/${quality}`;
}

/** The row for what is asked. Where there is none for both, the size decides before the quality. */
export function findImagePrice<Row extends ImageVariant>(
  rows: readonly Row[],
  { size, quality }: ImageVariant,
): Row | undefined {
  const candidates = [
    { size, quality },
    { size, quality: anyValue },
    { size: anyValue, quality },
    { size: anyValue, quality: anyValue },
  ].map(formatVariant);
  const byVariant = new Map(rows.map((row) => [formatVariant(row), row]));
  const variant = candidates.find((candidate) => byVariant.has(candidate));
  return variant === undefined ? undefined : byVariant.get(variant);
}
