/**
 * Applies a catalogue: stores the file as a new version, and every changed price as a new price version. Applying the
 * same file again creates no new prices.
 */
import { type SQL, sql } from 'drizzle-orm';
import { GatewayError } from '../../shared/errors.ts';
import {
  type Markup,
  type PicoUsdPerToken,
  parseMarkup,
  parsePriceEach,
  parsePricePerMillion,
  withMarkup,
} from '../../shared/money.ts';
import { eachUnits, tokenUnits, type UnitOfTokens, wholePriceOf } from '../../shared/usage/billable-units.ts';
import { type EachPrices, readEachPrices } from '../../shared/usage/each-prices.ts';
import type { ImagePrice, StoredImagePrice } from '../../shared/usage/image-prices.ts';
import { encodePrices, type Rate, type StoredRate } from '../../shared/usage/rate-prices.ts';
import { batchTier, type RateCondition, usualTier } from '../../shared/usage/rates.ts';
import { readTokenPrices, type TokenPrices } from '../../shared/usage/token-prices.ts';
import { numberedLocks } from '../database/advisory-locks.ts';
import type { Database, Db, Transaction } from '../database/connect.ts';
import { catalogueVersions } from '../database/tables/catalogue.ts';
import { type Actor, recordAction } from '../operations/audit/record-action.ts';
import { type CatalogueFile, type CatalogueFileModel, defaultMarkup, type FileImagePrice } from './catalogue-file.ts';
import { fileRatesOf, mapPrices, usualPricesOf } from './file-rates.ts';
import { findRemovedModels, readNewestCatalogue } from './newest-catalogue.ts';

/** Per token and per image. */
export interface ListedPrices {
  readonly tokens: TokenPrices;
  readonly images: readonly ImagePrice[];
  readonly each: EachPrices;
  /** For long prompts and other service tiers. */
  readonly rates: readonly Rate[];
}

interface AppliedCatalogue {
  readonly version: number;
  readonly models: number;
  readonly pricesChanged: number;
  /** Models of the previous catalogue that are not in this one. */
  readonly modelsRemoved: readonly string[];
}

interface CatalogueInput {
  readonly file: CatalogueFile;
  /** The version that the file is to replace, null for none. Without it, the file replaces any version. */
  readonly expectedVersion?: number | null;
  /** Why, for the audit log. */
  readonly reason?: string;
}

/** On behalf of an operator, and audited. Throws GatewayError `catalogue_changed`. */
export function applyAudited(
  db: Db,
  actor: Actor,
  { file, expectedVersion, reason }: CatalogueInput,
): Promise<AppliedCatalogue> {
  return db.transaction(async (transaction) => {
    await lockCatalogue(transaction);
    const before = await readNewestCatalogue(transaction);
    const versionInForce = before?.version ?? null;
    if (expectedVersion !== undefined && expectedVersion !== versionInForce) throw catalogueChanged(versionInForce);
    const applied = await activateCatalogue(transaction, file);
    const { version, ...after } = applied;
    const subject = `catalogue ${version}`;
    const replaced = before && { before: { version: before.version } };
    await recordAction(transaction, actor, {
      action: 'catalogue.apply',
      subject,
      ...replaced,
      ...(reason !== undefined && { reason }),
      after,
    });
    return applied;
  });
}

export function catalogueChanged(versionInForce: number | null): GatewayError {
  const inForce = versionInForce === null ? 'No catalogue' : `Version ${versionInForce} of the catalogue`;
  const message = `${inForce} is in effect now. Check the file again before you apply it.`;
  return new GatewayError('catalogue_changed', message, { param: 'expectedVersion' });
}

/** Without an entry in the audit log. */
export function applyCatalogue({ db }: Pick<Database, 'db'>, file: CatalogueFile): Promise<AppliedCatalogue> {
  return db.transaction((transaction) => activateCatalogue(transaction, file));
}

/** The same as part of a larger transaction. */
export async function activateCatalogue(transaction: Transaction, file: CatalogueFile): Promise<AppliedCatalogue> {
  await lockCatalogue(transaction);
  const modelsRemoved = await findRemovedModels(transaction, file);
  const [row] = await transaction
    .insert(catalogueVersions)
    .values({ file })
    .returning({ version: catalogueVersions.version });
  if (row === undefined) throw new Error('an insert returned no catalogue');
  let pricesChanged = 0;
  for (const model of file.models) {
    if (await insertPrice(transaction, model, file.markup ?? defaultMarkup)) pricesChanged += 1;
  }
  return { version: row.version, models: file.models.length, pricesChanged, modelsRemoved };
}

/** Until the transaction ends, no other one changes the catalogue. A transaction may lock it twice. */
async function lockCatalogue(transaction: Transaction): Promise<void> {
  await transaction.execute(sql`SELECT pg_advisory_xact_lock(${numberedLocks.catalogue.number})`);
}

async function insertPrice(transaction: Transaction, model: CatalogueFileModel, fileMarkup: string): Promise<boolean> {
  const row = priceRow(model, fileMarkup);
  const columns: SQL = sql.join(
    Object.keys(row).map((name) => sql.identifier(name)),
    sql`, `,
  );
  const inserted = await transaction.execute(sql`
    INSERT INTO model_prices (${columns})
    SELECT ${columns} FROM jsonb_populate_record(NULL::model_prices, ${JSON.stringify(row)}::text::jsonb)
    EXCEPT (SELECT ${columns} FROM model_prices WHERE model = ${model.id} ORDER BY version DESC LIMIT 1)`);
  return inserted.count > 0;
}

/** What customers would pay for a model of the file. */
export function listedPricesOf(model: CatalogueFileModel, fileMarkup: string = defaultMarkup): ListedPrices {
  const markup = parseMarkup(model.markup ?? fileMarkup);
  const stored = new Map(tokenUnits.map((unit) => [unit.price, storedPrice(model.price, unit)]));
  const images = model.price.images ?? [];
  return {
    tokens: readTokenPrices((name) => {
      const provider = stored.get(name);
      return provider === undefined ? undefined : withMarkup(provider, markup);
    }),
    images: images.map(({ size, quality, priceUsd }) => ({
      size,
      quality,
      price: withMarkup(parsePriceEach(priceUsd), markup),
    })),
    each: readEachPrices((name) => {
      const provider = model.price[name];
      return provider === undefined ? undefined : withMarkup(parsePriceEach(provider), markup);
    }),
    rates: pricedRatesOf(model, markup).map(({ tier, above, listed: prices }) => ({ tier, above, prices })),
  };
}

type PriceRow = Record<string, string | readonly StoredImagePrice[] | readonly StoredRate[] | null>;

/** By the names of the columns. */
function priceRow(model: CatalogueFileModel, fileMarkup: string): PriceRow {
  const markup = parseMarkup(model.markup ?? fileMarkup);
  const row: PriceRow = {
    model: model.id,
    markup: String(markup),
    image_prices: model.price.images?.map((image) => storedImagePrice(image, markup)) ?? null,
    rates: storedRates(model, markup),
  };
  for (const unit of tokenUnits) {
    const providerPrice = storedPrice(model.price, unit);
    row[`provider_${unit.priceColumn}_pico`] = providerPrice === undefined ? null : String(providerPrice);
    row[`${unit.priceColumn}_pico`] = providerPrice === undefined ? null : String(withMarkup(providerPrice, markup));
  }
  for (const { price, priceColumn } of eachUnits) {
    const given = model.price[price];
    const providerPrice = given === undefined ? undefined : parsePriceEach(given);
    row[`provider_${priceColumn}_pico`] = providerPrice === undefined ? null : String(providerPrice);
    row[`${priceColumn}_pico`] = providerPrice === undefined ? null : String(withMarkup(providerPrice, markup));
  }
  return row;
}

interface PricedRate extends RateCondition {
  readonly provider: TokenPrices;
  readonly listed: TokenPrices;
}

/** The provider is paid for lines of batches as for any other request. */
function pricedRatesOf({ price, batchDiscount }: CatalogueFileModel, markup: Markup): PricedRate[] {
  const rates = fileRatesOf(price).map(({ tier, above, prices: provider }) => ({
    ...{ tier, above, provider },
    listed: mapPrices(provider, (each) => withMarkup(each, markup)),
  }));
  if (batchDiscount === undefined) return rates;
  const share = parseMarkup(batchDiscount);
  const usualRates = [{ above: 0, provider: usualPricesOf(price) }, ...rates.filter(({ tier }) => tier === usualTier)];
  const ofBatches = usualRates.map<PricedRate>(({ above, provider }) => ({
    ...{ tier: batchTier, above, provider },
    listed: mapPrices(provider, (each) => withMarkup(withMarkup(each, markup), share)),
  }));
  return [...rates, ...ofBatches];
}

/** Every price of each rate, so that it stays what it was when there are more units. */
function storedRates(model: CatalogueFileModel, markup: Markup): StoredRate[] | null {
  const rates = pricedRatesOf(model, markup).map(({ tier, above, provider, listed }) => ({
    ...{ tier, above },
    provider: encodePrices(provider),
    listed: encodePrices(listed),
  }));
  return rates.length === 0 ? null : rates;
}

function storedImagePrice({ priceUsd, size, quality }: FileImagePrice, markup: Markup): StoredImagePrice {
  const providerPrice = parsePriceEach(priceUsd);
  return { size, quality, providerPico: String(providerPrice), listedPico: String(withMarkup(providerPrice, markup)) };
}

/** Undefined where it is to follow the price of the whole. */
function storedPrice(price: CatalogueFileModel['price'], unit: UnitOfTokens): PicoUsdPerToken | undefined {
  const own = price[unit.price];
  if (own !== undefined) return parsePricePerMillion(own);
  if (unit.storesPrice === 'ifGiven') return undefined;
  const whole = wholePriceOf(unit);
  return parsePricePerMillion((whole && price[whole]) ?? '0');
}
