/**
 * The rates of a model in the catalogue file. A step or a tier names only what costs something else there: any other
 * price is that of the step below, then that of the tier, then the usual one. A price that none of them names follows
 * the price of what it is part of, within the same rate.
 */
import type { ModelKind } from '../../shared/catalogue/model-kinds.ts';
import { type Protocol, servesTiers } from '../../shared/catalogue/published-catalogue.ts';
import { type PicoUsdPerToken, parsePricePerMillion } from '../../shared/money.ts';
import { perTokenPrice, type TokenPrice, tokenUnits, wholePriceOf } from '../../shared/usage/billable-units.ts';
import type { Rate } from '../../shared/usage/rate-prices.ts';
import { pricedTiers, type ServiceTier, usualTier } from '../../shared/usage/rates.ts';
import { readTokenPrices, type TokenPrices } from '../../shared/usage/token-prices.ts';
import type { CatalogueFileModel, FilePrices, FileStep } from './catalogue-file.ts';

type FilePrice = CatalogueFileModel['price'];

/** A rate with its place in the file, and the one that it is a step above, if any. */
interface FileRate extends Rate {
  /** `price.tiers.flex.steps[0]` */
  readonly place: string;
  readonly below: TokenPrices | undefined;
}

/** What the provider is paid at each rate but the usual one. */
export function fileRatesOf(price: FilePrice): FileRate[] {
  const usual = [price];
  return [
    ...stepsOf({ tier: usualTier, place: 'price', steps: price.steps, below: usual }),
    ...pricedTiers.flatMap((tier) => {
      const given = price.tiers?.[tier];
      if (given === undefined) return [];
      const place = `price.tiers.${tier}`;
      const layers = [given, ...usual];
      const prices = resolve(layers);
      return [
        { tier, above: 0, place, prices, below: undefined },
        ...stepsOf({ tier, place, steps: given.steps, below: layers }),
      ];
    }),
  ];
}

/** What the provider is paid where no step and no tier applies. */
export function usualPricesOf(price: FilePrice): TokenPrices {
  return resolve([price]);
}

/** What is wrong with the steps and tiers of a model, each with its place. */
export function findBadRates(model: CatalogueFileModel, protocols: ReadonlyMap<string, Protocol>): string[] {
  const { id, price } = model;
  const problems = [
    ...findMisplaced(model),
    ...findBadSteps(model, 'price', price.steps),
    ...pricedTiers.flatMap((tier) => findBadTier(model, tier)),
    ...(price.tiers === undefined ? [] : findUnservedTiers(model, protocols)),
  ];
  return problems.map((problem) => `model ${id}: ${problem}`);
}

function stepsOf({ tier, place, steps = [], below }: Steps): FileRate[] {
  let layers = below;
  return steps.map((step, index) => {
    const pricesBelow = resolve(layers);
    layers = [step, ...layers];
    return { tier, above: step.above, place: `${place}.steps[${index}]`, prices: resolve(layers), below: pricesBelow };
  });
}

interface Steps {
  readonly tier: ServiceTier;
  readonly place: string;
  readonly steps: readonly FileStep[] | undefined;
  readonly below: readonly FilePrices[];
}

/** The first layer that names a price decides it. */
function resolve(layers: readonly FilePrices[]): TokenPrices {
  return readTokenPrices((price) => givenPrice(layers, price) ?? (wholeOf(price) === undefined ? 0n : undefined));
}

function givenPrice(layers: readonly FilePrices[], price: TokenPrice): PicoUsdPerToken | undefined {
  const text = layers.find((layer) => layer[price] !== undefined)?.[price];
  return text === undefined ? undefined : parsePricePerMillion(text);
}

function wholeOf(price: TokenPrice): TokenPrice | undefined {
  const unit = tokenUnits.find((each) => each.price === price);
  return unit && wholePriceOf(unit);
}

/** Images and audio are not paid by their prompt. */
export function mayHaveSteps(kind: ModelKind): boolean {
  return kind !== 'image' && kind !== 'speech' && kind !== 'transcription';
}

interface NamedPrice {
  /** `price.tiers.flex.steps[0]` */
  readonly place: string;
  readonly name: TokenPrice;
  /** USD per million tokens. */
  readonly text: string;
}

/** Every price per token that a model names, at any rate. */
export function namedTokenPrices({ tiers = {}, ...usual }: CatalogueFileModel['price']): NamedPrice[] {
  const places: [place: string, prices: FilePrices & { readonly steps?: readonly FileStep[] }][] = [
    ['price', usual],
    ...pricedTiers.flatMap((tier): [string, FilePrices][] =>
      tiers[tier] ? [[`price.tiers.${tier}`, tiers[tier]]] : [],
    ),
  ];
  const all = places.flatMap(([place, prices]): [string, FilePrices][] => [
    [place, prices],
    ...(prices.steps ?? []).map((step, index): [string, FilePrices] => [`${place}.steps[${index}]`, step]),
  ]);
  return all.flatMap(([place, prices]) =>
    tokenUnits.flatMap(({ price: name }) => {
      const text = prices[name];
      return text === undefined ? [] : [{ place, name, text }];
    }),
  );
}

/** Only a chat model's requests have a tier. */
function findMisplaced({ kind, price }: CatalogueFileModel): string[] {
  return [
    ...(price.steps !== undefined && !mayHaveSteps(kind) ? [`price.steps is not for models of the kind ${kind}`] : []),
    ...(price.tiers !== undefined && kind !== 'chat'
      ? [`price.tiers is for models of the kind chat, not ${kind}`]
      : []),
  ];
}

function findBadTier(model: CatalogueFileModel, tier: (typeof pricedTiers)[number]): string[] {
  const given = model.price.tiers?.[tier];
  if (given === undefined) return [];
  const place = `price.tiers.${tier}`;
  const bounds = boundsOf(model.price.steps);
  const own = new Set(boundsOf(given.steps));
  return [
    ...(['prompt', 'completion'] as const)
      .filter((name) => given[name] === undefined)
      .map((name) => `${place}.${name} is missing`),
    ...findBadSteps(model, place, given.steps),
    ...bounds
      .filter((above) => !own.has(above))
      .map((above) => `${place} has no step above ${above} tokens, where the usual prices have one`),
  ];
}

const boundsOf = (steps: readonly FileStep[] = []) => steps.map(({ above }) => above);

function findBadSteps(model: CatalogueFileModel, place: string, steps: readonly FileStep[] = []): string[] {
  const rates = fileRatesOf(model.price).filter((rate) => rate.place.startsWith(`${place}.steps[`));
  return steps.flatMap((step, index) => {
    const at = `${place}.steps[${index}]`;
    const before = steps[index - 1]?.above ?? 0;
    const rate = rates[index];
    return [
      ...(step.above <= before && index > 0 ? [`${at}.above has to be more than ${before}, the step before it`] : []),
      ...(step.above >= model.contextTokens
        ? [`${at}.above is never reached: the model takes ${model.contextTokens} tokens`]
        : []),
      ...(tokenUnits.some(({ price }) => step[price] !== undefined) ? [] : [`${at} has no price`]),
      ...(rate === undefined ? [] : cheaperOf(step, rate)).map(
        (name) => `${at}.${name} is cheaper than below the step`,
      ),
    ];
  });
}

/** Of those that the step names: others follow them, or are those below. */
function cheaperOf(step: FileStep, { prices, below }: FileRate): TokenPrice[] {
  const named = tokenUnits.map(({ price }) => price).filter((price) => step[price] !== undefined);
  return named.filter((price) => below !== undefined && prices[price] < below[price]);
}

function findUnservedTiers({ deployments }: CatalogueFileModel, protocols: ReadonlyMap<string, Protocol>): string[] {
  return deployments.flatMap(({ provider }) => {
    const protocol = protocols.get(provider);
    if (protocol === undefined || servesTiers(protocol)) return [];
    return [`price.tiers is not for ${provider}: ${protocol} has no service tiers`];
  });
}

/** By the price's own name. */
export function mapPrices(prices: TokenPrices, change: (price: PicoUsdPerToken) => PicoUsdPerToken): TokenPrices {
  return perTokenPrice(({ price }) => change(prices[price]));
}
