/** What a catalogue file would change: models that come, go or change their price, each price with its change. */
import {
  costDifference,
  exactCostOf,
  formatPicoUsd,
  type PicoUsd,
  type PicoUsdPerToken,
  percentChange,
} from '../../shared/money.ts';
import { followsWhole, tokenUnits } from '../../shared/usage/billable-units.ts';
import { listEachPrices } from '../../shared/usage/each-prices.ts';
import { formatVariant } from '../../shared/usage/image-prices.ts';
import { formatRate } from '../../shared/usage/rates.ts';
import type { TokenPrices } from '../../shared/usage/token-prices.ts';
import type { Db } from '../database/connect.ts';
import { type ListedPrices, listedPricesOf } from './apply-catalogue.ts';
import type { CatalogueFile } from './catalogue-file.ts';
import { type ListedModel, PriceList } from './price-list.ts';

export interface PriceChange {
  /** `prompt`, `flex>200000 prompt` at another rate than the usual one, `request`, or the size and quality of an image. */
  readonly price: string;
  /** Decimal USD per million tokens, or per image; null for one that there is not. */
  readonly from: string | null;
  readonly to: string | null;
  readonly difference: string | null;
  readonly percent: string | null;
}

export interface ChangedModel {
  readonly id: string;
  readonly changes: readonly PriceChange[];
  readonly before: ListedPrices;
  readonly after: ListedPrices;
}

export interface CatalogueDifference {
  readonly added: readonly string[];
  readonly removed: readonly { readonly id: string; readonly before: ListedPrices }[];
  readonly changed: readonly ChangedModel[];
  readonly unchanged: number;
}

export async function compareCatalogue(db: Db, file: CatalogueFile): Promise<CatalogueDifference> {
  const current = new Map((await new PriceList(db).read()).map((model) => [model.id, pricesOf(model)]));
  const next = new Map(file.models.map((model) => [model.id, listedPricesOf(model, file.markup)]));
  const compared = [...next].flatMap(([id, after]) => {
    const before = current.get(id);
    return before === undefined ? [] : [{ id, before, after, changes: changesOf(before, after) }];
  });
  const changed = compared.filter(({ changes }) => changes.length > 0);
  return {
    added: [...next.keys()].filter((id) => !current.has(id)),
    removed: [...current].filter(([id]) => !next.has(id)).map(([id, before]) => ({ id, before })),
    changed,
    unchanged: compared.length - changed.length,
  };
}

function pricesOf({ prices, images, each, rates }: ListedModel): ListedPrices {
  return { tokens: prices, images, each, rates };
}

/** A price that follows that of its whole before and after is no change of its own. */
function changesOf(before: ListedPrices, after: ListedPrices): PriceChange[] {
  const [from, to] = [costsOf(before), costsOf(after)];
  const own = new Set([...ownPricesOf(before), ...ownPricesOf(after)]);
  const names = [...new Set([...from.keys(), ...to.keys()])].filter((name) => own.has(name));
  return names.map((name) => compare(name, from.get(name), to.get(name))).filter((change) => change.from !== change.to);
}

function compare(price: string, from: PicoUsd | undefined, to: PicoUsd | undefined): PriceChange {
  const known = from !== undefined && to !== undefined;
  return {
    price,
    from: from === undefined ? null : formatPicoUsd(from),
    to: to === undefined ? null : formatPicoUsd(to),
    difference: known ? formatPicoUsd(costDifference(from, to)) : null,
    percent: known ? (percentChange(from, to) ?? null) : null,
  };
}

/** What a million tokens or an image cost, by the name of the price. */
function costsOf({ tokens, images, each, rates }: ListedPrices): ReadonlyMap<string, PicoUsd> {
  return new Map([
    ...costsOfTokens(tokens, ''),
    ...rates.flatMap((rate) => costsOfTokens(rate.prices, `${formatRate(rate)} `)),
    ...images.map((image) => [formatVariant(image), exactCostOf([{ count: 1, price: image.price }])] as const),
    ...listEachPrices(each).map(({ unit, price }) => [unit, exactCostOf([{ count: 1, price }])] as const),
  ]);
}

/** The names of the prices that are not those of their whole. */
function ownPricesOf({ tokens, images, each, rates }: ListedPrices): string[] {
  return [
    ...ownPricesOfTokens(tokens, ''),
    ...rates.flatMap((rate) => ownPricesOfTokens(rate.prices, `${formatRate(rate)} `)),
    ...images.map(formatVariant),
    ...listEachPrices(each).map(({ unit }) => unit),
  ];
}

function ownPricesOfTokens(prices: TokenPrices, rate: string): string[] {
  const own = tokenUnits.filter((unit) => !followsWhole(unit, prices));
  return own.map(({ price }) => `${rate}${price}`);
}

const costsOfTokens = (prices: TokenPrices, rate: string) =>
  tokenUnits.map(({ price }) => [`${rate}${price}`, costOfMillion(prices[price])] as const);

const costOfMillion = (price: PicoUsdPerToken) => exactCostOf([{ count: 1_000_000, price }]);
