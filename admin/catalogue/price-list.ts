/** The models of the current catalogue as customers see them: what they cost and can do, and what the catalogue tells them of who serves them. */
import { max } from 'drizzle-orm';
import type { ModelKind } from '../../shared/catalogue/model-kinds.ts';
import { type DeploymentFacts, differentFacts } from '../../shared/keys/data-policy.ts';
import type { EachPrices } from '../../shared/usage/each-prices.ts';
import type { ImagePrice } from '../../shared/usage/image-prices.ts';
import type { Rate } from '../../shared/usage/rate-prices.ts';
import type { TokenPrices } from '../../shared/usage/token-prices.ts';
import type { Db } from '../database/connect.ts';
import { eachPrices, imagePrices, listedPrices, type PriceRow, ratesOf } from '../database/rows/price-row.ts';
import { catalogueVersions } from '../database/tables/catalogue.ts';
import type { CatalogueFile, CatalogueFileModel } from './catalogue-file.ts';
import { factsOf } from './deployment-facts.ts';
import { readNewestCatalogue } from './newest-catalogue.ts';
import { readCurrentPrices } from './price-history.ts';

export interface ListedModel {
  readonly id: string;
  readonly kind: ModelKind;
  readonly ownedBy: string;
  readonly contextTokens: number;
  readonly maxOutputTokens: number;
  /** The day in UTC from which it is no longer served; null if none is planned. */
  readonly retiresAt: string | null;
  /** Since when the prices have applied. */
  readonly since: Date;
  readonly prices: TokenPrices;
  readonly images: readonly ImagePrice[];
  readonly each: EachPrices;
  /** For long prompts and other service tiers. */
  readonly rates: readonly Rate[];
  /** What is known of its providers; empty if nothing is. */
  readonly providers: readonly DeploymentFacts[];
}

/** Reads a catalogue once: each version has its own prices, and neither ever changes. */
export class PriceList {
  readonly #db: Db;
  #version: number | undefined;
  #models: readonly ListedModel[] = [];

  constructor(db: Db) {
    this.#db = db;
  }

  /** In the order of the file. Empty if no catalogue was ever applied. */
  async read(): Promise<readonly ListedModel[]> {
    const [newest] = await this.#db.select({ version: max(catalogueVersions.version) }).from(catalogueVersions);
    if (newest?.version !== this.#version) await this.#readAgain();
    return this.#models;
  }

  async #readAgain(): Promise<void> {
    const catalogue = await readNewestCatalogue(this.#db);
    const prices = await readCurrentPrices(this.#db);
    const { models = [], providers = [] } = catalogue?.file ?? {};
    this.#models = models.map((model) => listModel(model, prices.get(model.id), providers));
    this.#version = catalogue?.version;
  }
}

function listModel(
  model: CatalogueFileModel,
  price: PriceRow | undefined,
  providers: CatalogueFile['providers'],
): ListedModel {
  if (price === undefined) throw new Error(`model ${model.id} has no price`);
  return {
    id: model.id,
    kind: model.kind,
    ownedBy: model.ownedBy,
    contextTokens: model.contextTokens,
    maxOutputTokens: model.maxOutputTokens ?? 0,
    retiresAt: model.retiresAt ?? null,
    since: price.effectiveFrom,
    prices: listedPrices(price),
    images: imagePrices(price).map(({ size, quality, listed }) => ({ size, quality, price: listed })),
    each: eachPrices(price, 'listed'),
    rates: ratesOf(price, 'listed'),
    providers: differentFacts(model.deployments.map((deployment) => factsOf(deployment, providers))),
  };
}
