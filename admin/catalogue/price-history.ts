/** Every price that a model has had, newest first, and the present one of each. */
import { desc, eq, sql } from 'drizzle-orm';
import { GatewayError } from '../../shared/errors.ts';
import { formatMarkup, formatPriceEach, formatPricePerMillion, type Markup } from '../../shared/money.ts';
import { type EachPrice, perTokenPrice, type TokenPrice } from '../../shared/usage/billable-units.ts';
import { listEachPrices } from '../../shared/usage/each-prices.ts';
import type { ImageVariant } from '../../shared/usage/image-prices.ts';
import type { RateCondition, ServiceTier } from '../../shared/usage/rates.ts';
import type { TokenPrices } from '../../shared/usage/token-prices.ts';
import type { Db, DbOrTransaction } from '../database/connect.ts';
import {
  eachPrices,
  imagePrices,
  listedPrices,
  type PriceRow,
  providerPrices,
  ratesOf,
} from '../database/rows/price-row.ts';
import { modelPrices } from '../database/tables/catalogue.ts';

export type RenderedPrices = Readonly<Record<TokenPrice, string>>;

export interface PriceVersion {
  readonly version: number;
  readonly effectiveFrom: string;
  readonly markup: string;
  /** Decimal USD per million tokens. */
  readonly listed: RenderedPrices;
  readonly provider: RenderedPrices;
  /** USD per image, decimals. Empty for a model that makes none. */
  readonly images: RenderedImagePrice[];
  /** USD for each, decimals: what is counted one by one. */
  readonly perUnit: RenderedUnitPrice[];
  /** Empty for a model that has only its usual prices. */
  readonly rates: RenderedRate[];
}

interface RenderedUnitPrice {
  readonly unit: EachPrice;
  readonly listed: string;
  readonly provider: string;
}

interface RenderedRate extends RenderedCondition {
  readonly listed: RenderedPrices;
  readonly provider: RenderedPrices;
}

/** When a rate applies, as /api names it. */
export interface RenderedCondition {
  readonly serviceTier: ServiceTier;
  readonly abovePromptTokens: number;
}

interface RenderedImagePrice extends ImageVariant {
  readonly listed: string;
  readonly provider: string;
}

const versionsMax = 1_000;

/** Of every model, including those that have left the catalogue since. */
export async function readCurrentPrices(db: Db): Promise<ReadonlyMap<string, PriceRow>> {
  const rows = await db
    .selectDistinctOn([modelPrices.model])
    .from(modelPrices)
    .orderBy(modelPrices.model, sql`${modelPrices.version} desc`);
  return new Map(rows.map((row) => [row.model, row]));
}

/** Empty if there never was such a model. */
export async function readPriceHistory(db: DbOrTransaction, model: string): Promise<PriceVersion[]> {
  const rows = await db
    .select()
    .from(modelPrices)
    .where(eq(modelPrices.model, model))
    .orderBy(desc(modelPrices.version))
    .limit(versionsMax);
  return rows.map(renderVersion);
}

export function renderPrices(prices: TokenPrices): RenderedPrices {
  return perTokenPrice(({ price }) => formatPricePerMillion(prices[price]));
}

export function renderCondition({ tier, above }: RateCondition): RenderedCondition {
  return { serviceTier: tier, abovePromptTokens: above };
}

function renderVersion(price: PriceRow): PriceVersion {
  const providerRates = ratesOf(price, 'provider');
  const ofProvider = eachPrices(price, 'provider');
  return {
    version: price.version,
    effectiveFrom: price.effectiveFrom.toISOString(),
    markup: formatMarkup(price.markup as Markup),
    listed: renderPrices(listedPrices(price)),
    provider: renderPrices(providerPrices(price)),
    images: imagePrices(price).map(({ size, quality, listed, provider }) => ({
      size,
      quality,
      listed: formatPriceEach(listed),
      provider: formatPriceEach(provider),
    })),
    perUnit: listEachPrices(eachPrices(price, 'listed')).map(({ unit, price: listed }) => ({
      unit,
      listed: formatPriceEach(listed),
      provider: formatPriceEach(ofProvider[unit] ?? listed),
    })),
    rates: ratesOf(price, 'listed').map((rate, index) => ({
      ...renderCondition(rate),
      listed: renderPrices(rate.prices),
      provider: renderPrices(providerRates[index]?.prices ?? rate.prices),
    })),
  };
}

export function modelWithoutHistory(): GatewayError {
  return new GatewayError('model_not_found', 'Unknown model: it is in no catalogue, current or past.', {
    param: 'model',
  });
}
