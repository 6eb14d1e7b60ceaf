/** Every price that a model has had, newest first. */
import { desc, eq } from 'drizzle-orm';
import { GatewayError } from '../../shared/errors.ts';
import { formatMarkup, formatPricePerMillion, type Markup, type PicoUsdPerToken } from '../../shared/money.ts';
import { modelPrices } from '../../shared/tables/catalogue.ts';
import type { DbOrTransaction } from '../database/connect.ts';
import { listedPrices, type PriceRow, providerPrices, type TokenClass } from '../ledger/queries/itemise-charge.ts';

export type RenderedPrices = Record<TokenClass, string>;

export interface PriceVersion {
  readonly version: number;
  readonly effectiveFrom: string;
  readonly markup: string;
  /** Decimal USD per million tokens. */
  readonly listed: RenderedPrices;
  readonly provider: RenderedPrices;
}

const versionsMax = 1_000;

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

export function renderPrices(prices: Record<TokenClass, PicoUsdPerToken>): RenderedPrices {
  return {
    prompt: formatPricePerMillion(prices.prompt),
    cachedPrompt: formatPricePerMillion(prices.cachedPrompt),
    cacheWrite: formatPricePerMillion(prices.cacheWrite),
    completion: formatPricePerMillion(prices.completion),
    reasoning: formatPricePerMillion(prices.reasoning),
  };
}

function renderVersion(price: PriceRow): PriceVersion {
  return {
    version: price.version,
    effectiveFrom: price.effectiveFrom.toISOString(),
    markup: formatMarkup(price.markup as Markup),
    listed: renderPrices(listedPrices(price)),
    provider: renderPrices(providerPrices(price)),
  };
}

export function modelWithoutHistory(): GatewayError {
  return new GatewayError('model_not_found', 'There never was such a model.', { param: 'model' });
}
