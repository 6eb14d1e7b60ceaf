/**
 * What a published price list says differently from the catalogue: about the provider's prices, before any markup, and about the
 * models. Only what the list states is compared. A price of the list is rounded up to the precision of the catalogue before.
 */
import { modalitiesOf } from '../../../shared/catalogue/modalities.ts';
import { type KindOfModel, kinds } from '../../../shared/catalogue/model-kinds.ts';
import { servesPrice, servesTiers } from '../../../shared/catalogue/published-catalogue.ts';
import {
  differsByMoreThan,
  formatPriceEach,
  formatPricePerMillion,
  type PicoUsdEach,
  type PicoUsdPerToken,
  parsePriceEach,
} from '../../../shared/money.ts';
import type { EachPrice, TokenPrice } from '../../../shared/usage/billable-units.ts';
import { listEachPrices } from '../../../shared/usage/each-prices.ts';
import { formatVariant } from '../../../shared/usage/image-prices.ts';
import { batchTier, formatRate, type RateCondition, usualTier } from '../../../shared/usage/rates.ts';
import type { TokenPrices } from '../../../shared/usage/token-prices.ts';
import type { CatalogueFile, CatalogueFileModel } from '../catalogue-file.ts';
import { fileRatesOf, usualPricesOf } from '../file-rates.ts';
import { type MatchRule, namesOfProvider, OfferIndex } from './match-offers.ts';
import type { ListForm, Offer, PublishedList, StatedPrices, UnreadableEntry } from './offer.ts';

/** A price that differs by more than this factor is likely to be a mistake, of the list or of its reader. */
export const largeFactor = 3n;

const facts = ['contextTokens', 'maxOutputTokens', 'inputModalities', 'retiresAt'] as const;
export type ListedFact = (typeof facts)[number];

export interface ListChange {
  /** `prompt`, `>200000 prompt` at another rate, `request`, the size and quality of an image, or a fact such as `contextTokens`. */
  readonly field: string;
  /** Prices are decimals in USD per million tokens, or for one of anything else. Null for what there is not. */
  readonly from: string | null;
  readonly to: string | null;
  readonly isPrice: boolean;
  /** Both are prices, and the new one is lower. */
  readonly isDecrease: boolean;
  /** Both are prices, and differ by more than `largeFactor`. */
  readonly isLarge: boolean;
}

export interface ListedDifference {
  readonly model: string;
  readonly offer: Offer;
  readonly rule: MatchRule;
  /** At least one. */
  readonly changes: readonly ListChange[];
}

export interface ListComparison {
  readonly form: ListForm;
  readonly changed: readonly ListedDifference[];
  /** How many models the list says the same about. */
  readonly unchanged: number;
  /** Entries of the catalogue's providers that no model of it has as a deployment. */
  readonly added: readonly string[];
  /** Models that several entries may be about. */
  readonly ambiguous: readonly { readonly model: string; readonly entries: readonly string[] }[];
  /** Models that the list does not have. */
  readonly unlisted: readonly string[];
  readonly unreadable: readonly UnreadableEntry[];
}

/** `today` is a day: what has retired before it is not new. */
export function compareWithList(file: CatalogueFile, list: PublishedList, today: string): ListComparison {
  const providers = new Map(file.providers.map((provider) => [provider.id, provider]));
  const index = new OfferIndex(list);
  const matches = file.models.map((model) => ({ model, match: index.match(model, providers) }));
  const compared = matches.flatMap(({ model, match }) =>
    match.found === 'one'
      ? [{ model: model.id, offer: match.offer, rule: match.rule, changes: changesOf(model, match.offer, providers) }]
      : [],
  );
  const changed = compared.filter(({ changes }) => changes.length > 0);
  const known = new Set(
    matches.flatMap(({ match }) =>
      match.found === 'one' ? [match.offer] : match.found === 'several' ? match.offers : [],
    ),
  );
  return {
    form: list.form,
    changed,
    unchanged: compared.length - changed.length,
    added: addedOf(file, list, { known, today }),
    ambiguous: matches.flatMap(({ model, match }) =>
      match.found === 'several' ? [{ model: model.id, entries: match.offers.map(({ entry }) => entry) }] : [],
    ),
    unlisted: matches.flatMap(({ model, match }) => (match.found === 'none' ? [model.id] : [])),
    unreadable: list.unreadable,
  };
}

export interface RenderedDifference extends Omit<ListedDifference, 'offer'> {
  readonly entry: string;
}

export interface RenderedComparison extends Omit<ListComparison, 'changed'> {
  readonly changed: readonly RenderedDifference[];
}

/** As JSON can have it. */
export function renderComparison({ changed, ...comparison }: ListComparison): RenderedComparison {
  return { ...comparison, changed: changed.map(renderDifference) };
}

export function renderDifference({ offer, ...difference }: ListedDifference): RenderedDifference {
  return { ...difference, entry: offer.entry };
}

/** Whether the list says anything differently. What cannot be compared is not a difference. */
export function isDifferent({ changed, added }: ListComparison): boolean {
  return changed.length > 0 || added.length > 0;
}

function addedOf(
  { providers }: CatalogueFile,
  { offers }: PublishedList,
  { known, today }: { known: ReadonlySet<Offer>; today: string },
): string[] {
  const own = new Set(providers.flatMap((provider) => [...namesOfProvider(provider)]));
  // What says the same under another name is known too.
  const names = new Set(
    [...known].flatMap((offer) => offer.names.map(({ provider, model }) => `${provider} ${model}`)),
  );
  return offers
    .filter((offer) => !known.has(offer) && (offer.retiresAt ?? today) >= today)
    .filter((offer) => offer.names.some(({ provider }) => own.has(provider)))
    .filter((offer) => !offer.names.some(({ provider, model }) => names.has(`${provider} ${model}`)))
    .map(({ entry }) => entry);
}

type Providers = ReadonlyMap<string, CatalogueFile['providers'][number]>;

function changesOf(model: CatalogueFileModel, offer: Offer, providers: Providers): ListChange[] {
  return [...tokenChanges(model, offer, providers), ...otherPriceChanges(model, offer), ...factChanges(model, offer)];
}

/** A rate of both. `own` is undefined where the catalogue has none, `stated` where the list has none. */
export interface ComparedRate extends RateCondition {
  readonly own: TokenPrices | undefined;
  readonly stated: StatedPrices | undefined;
}

/** Prices per token that are compared at each rate: the usual ones first, then steps and tiers, each in ascending order. */
export function comparedRates(model: CatalogueFileModel, offer: Offer, providers: Providers): ComparedRate[] {
  const usual = { tier: usualTier, above: 0, own: usualPricesOf(model.price), stated: offer.tokens } as const;
  if (!hasStatedPrices(offer)) return [usual];
  const own = new Map(fileRatesOf(model.price).map((rate) => [formatRate(rate), rate]));
  const isServed = (tier: RateCondition['tier']) => tier === usualTier || mayHaveTiers(model, providers);
  const stated = new Map(offer.rates.filter(({ tier }) => isServed(tier)).map((rate) => [formatRate(rate), rate]));
  const rates = [...new Map([...own, ...stated]).entries()].map(([name, { tier, above }]) => ({
    tier,
    above,
    own: own.get(name)?.prices,
    stated: stated.get(name)?.prices,
  }));
  // A list that says nothing about a tier does not say that there is none.
  const compared = rates.filter(({ tier, stated: prices }) => tier === usualTier || prices !== undefined);
  const tiers = [usualTier, 'flex', 'priority'];
  return [
    usual,
    ...compared.sort((one, two) => tiers.indexOf(one.tier) - tiers.indexOf(two.tier) || one.above - two.above),
  ];
}

/** Which prices per token are compared, by what the model is paid for. */
export function comparedTokenPrices(model: CatalogueFileModel, providers: Providers): TokenPrice[] {
  const { tokenPrices = ['prompt'] }: KindOfModel = kinds[model.kind];
  // Paid by the image, the character, the second or the search.
  if (model.price.prompt === undefined) return [];
  const protocols = protocolsOf(model, providers);
  return tokenPrices.filter((name) => protocols.every((protocol) => servesPrice[name]?.(protocol) !== false));
}

const hasStatedPrices = ({ tokens }: Offer) => tokens.prompt !== undefined && tokens.completion !== undefined;

const mayHaveTiers = (model: CatalogueFileModel, providers: Providers) =>
  model.kind === 'chat' && protocolsOf(model, providers).every(servesTiers);

const protocolsOf = ({ deployments }: CatalogueFileModel, providers: Providers) =>
  deployments.flatMap(({ provider }) => providers.get(provider)?.protocol ?? []);

function tokenChanges(model: CatalogueFileModel, offer: Offer, providers: Providers): ListChange[] {
  const names = comparedTokenPrices(model, providers);
  const isSteps = model.kind === 'chat' || model.kind === 'completion' || model.kind === 'embedding';
  return comparedRates(model, offer, providers)
    .filter(({ above, tier }) => isSteps || (above === 0 && tier === usualTier))
    .flatMap((rate) => names.flatMap((name) => changeOfToken(model, name, rate)));
}

/** A step that the list no longer has ends with all its prices. */
function changeOfToken(model: CatalogueFileModel, name: TokenPrice, rate: ComparedRate): ListChange[] {
  const { own, stated } = rate;
  const field = fieldOf(rate, name);
  if (stated === undefined)
    return isNamed(model, name, rate) ? [priceChange(field, own?.[name], undefined, perMillion)] : [];
  const to = stated[name];
  if (to === undefined) return [];
  const from = isRefused(model.price, rate, name) ? undefined : own?.[name];
  return from === to ? [] : [priceChange(field, from, to, perMillion)];
}

/** `prompt`, `flex>200000 prompt` */
export function fieldOf(rate: RateCondition, name: TokenPrice): string {
  const label = formatRate(rate);
  return label === '' ? name : `${label} ${name}`;
}

const isNamed = ({ price }: CatalogueFileModel, name: TokenPrice, { above }: RateCondition) =>
  price.steps?.some((step) => step.above === above && step[name] !== undefined) ?? false;

/** What has to be asked for does not cost what other tokens do as long as it has no price: it is refused. */
export function isRefused(
  price: CatalogueFileModel['price'],
  { tier, above }: RateCondition,
  name: TokenPrice,
): boolean {
  if (servesPrice[name] === undefined) return false;
  const ofTier = tier === usualTier || tier === batchTier ? price : price.tiers?.[tier];
  const steps = ofTier?.steps?.filter((step) => step.above <= above) ?? [];
  return [price, ofTier, ...steps].every((prices) => prices?.[name] === undefined);
}

function otherPriceChanges({ kind, price }: CatalogueFileModel, offer: Offer): ListChange[] {
  const each = listEachPrices(offer.each).flatMap(({ unit, price: to }) => {
    const own = price[unit];
    const from = own === undefined ? undefined : parsePriceEach(own);
    return from === to || !isComparedEach(unit, from, to) ? [] : [priceChange(unit, from, to, formatPriceEach)];
  });
  if (kind !== 'image') return each;
  const own = new Map((price.images ?? []).map((row) => [formatVariant(row), parsePriceEach(row.priceUsd)]));
  const images = offer.images.flatMap((row) => {
    const variant = formatVariant(row);
    const from = own.get(variant);
    return from === row.price ? [] : [priceChange(variant, from, row.price, formatPriceEach)];
  });
  return [...each, ...images];
}

/** A model that is paid in another way does not get a second price. */
function isComparedEach(unit: EachPrice, from: PicoUsdEach | undefined, to: PicoUsdEach): boolean {
  return from !== undefined || (unit === 'request' && to > 0n);
}

function factChanges(model: CatalogueFileModel, offer: Offer): ListChange[] {
  const { kind, contextTokens, maxOutputTokens, retiresAt } = model;
  const input =
    kind === 'chat'
      ? modalitiesOf({ ...model, hasPromptPrice: true, hasAudioOutput: false }).input.join(', ')
      : undefined;
  const own: Readonly<Record<ListedFact, string | undefined>> = {
    contextTokens: String(contextTokens),
    maxOutputTokens: maxOutputTokens === undefined ? undefined : String(maxOutputTokens),
    inputModalities: input,
    retiresAt,
  };
  const stated: Readonly<Record<ListedFact, string | undefined>> = {
    contextTokens: textOf(offer.contextTokens),
    maxOutputTokens: maxOutputTokens === undefined ? undefined : textOf(offer.maxOutputTokens),
    inputModalities: kind === 'chat' ? offer.inputModalities?.join(', ') : undefined,
    retiresAt: offer.retiresAt,
  };
  return facts.flatMap((field) => {
    const [from = null, to] = [own[field], stated[field]];
    if (to === undefined || from === to) return [];
    return [{ field, from, to, isPrice: false, isDecrease: false, isLarge: false }];
  });
}

const textOf = (count: number | undefined) => (count === undefined ? undefined : String(count));

const perMillion = formatPricePerMillion;

function priceChange<Price extends PicoUsdPerToken | PicoUsdEach>(
  field: string,
  from: Price | undefined,
  to: Price | undefined,
  format: (price: Price) => string,
): ListChange {
  const areBoth = from !== undefined && to !== undefined;
  return {
    field,
    from: from === undefined ? null : format(from),
    to: to === undefined ? null : format(to),
    isPrice: true,
    isDecrease: areBoth && to < from,
    isLarge: areBoth && differsByMoreThan(from, to, largeFactor),
  };
}
