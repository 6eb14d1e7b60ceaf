/**
 * Takes chosen differences over into a catalogue file. Every other price that the list states stays what it is, even if it has
 * followed a price that changes, and so does every price of a tier that the list does not have. Whatever else the list does not
 * state continues to follow.
 */
import { inputModalities } from '../../../shared/catalogue/modalities.ts';
import { formatPricePerMillion } from '../../../shared/money.ts';
import { type EachPrice, eachUnits, type TokenPrice } from '../../../shared/usage/billable-units.ts';
import { formatVariant } from '../../../shared/usage/image-prices.ts';
import type { Rate } from '../../../shared/usage/rate-prices.ts';
import { batchTier, formatRate, type RateCondition, usualTier } from '../../../shared/usage/rates.ts';
import type { CatalogueFile, CatalogueFileModel, FilePrices, FileStep } from '../catalogue-file.ts';
import { fileRatesOf, usualPricesOf } from '../file-rates.ts';
import {
  type ComparedRate,
  comparedRates,
  comparedTokenPrices,
  fieldOf,
  isRefused,
  type ListChange,
  type ListedDifference,
} from './compare-with-list.ts';

export interface ChosenDifference extends Pick<ListedDifference, 'model' | 'offer'> {
  /** Some of those that were found. */
  readonly changes: readonly ListChange[];
}

type Price = CatalogueFileModel['price'];
type Providers = ReadonlyMap<string, CatalogueFile['providers'][number]>;

export function takeOver(file: CatalogueFile, chosen: readonly ChosenDifference[]): CatalogueFile {
  const providers = new Map(file.providers.map((provider) => [provider.id, provider]));
  const byModel = new Map(chosen.map((difference) => [difference.model, difference]));
  return {
    ...file,
    models: file.models.map((model) => {
      const difference = byModel.get(model.id);
      return difference === undefined ? model : changed(model, difference, providers);
    }),
  };
}

function changed(model: CatalogueFileModel, difference: ChosenDifference, providers: Providers): CatalogueFileModel {
  const changes = new Map(difference.changes.map((change) => [change.field, change]));
  const price = withTokenPrices(model, { changes, offer: difference.offer, providers });
  return { ...model, ...factsOf(changes), price: withOtherPrices(price, changes) };
}

type Changes = ReadonlyMap<string, ListChange>;

interface Taken {
  readonly changes: Changes;
  readonly offer: ListedDifference['offer'];
  readonly providers: Providers;
}

/**
 * Rate by rate, and each whole before its parts: what follows has changed by the time that it is looked at. What has been refused
 * has cost nothing that could be kept.
 */
function withTokenPrices(model: CatalogueFileModel, { changes, offer, providers }: Taken): Price {
  const names = comparedTokenPrices(model, providers);
  const rates = comparedRates(model, offer, providers);
  const taken = rates.reduce<Price>((price, rate) => {
    if (rate.stated === undefined) return withoutPrices(price, rate, changes);
    const compared = names.filter((name) => changes.has(fieldOf(rate, name)) || !isRefused(model.price, rate, name));
    return compared.reduce((now, name) => withTokenPrice(now, name, { rate, changes }), price);
  }, model.price);
  const known = new Set(rates.map(formatRate));
  const others = fileRatesOf(model.price).filter((rate) => !known.has(formatRate(rate)));
  return others.reduce((price, rate) => {
    const kept = names.filter((name) => !isRefused(model.price, rate, name));
    return kept.reduce((now, name) => withKeptPrice(now, name, rate), price);
  }, taken);
}

/** A tier inherits what the usual prices name, so it names what it has cost itself once these change. */
function withKeptPrice(price: Price, name: TokenPrice, rate: Rate): Price {
  const kept = formatPricePerMillion(rate.prices[name]);
  if (presentPrice(price, rate, name) === kept) return price;
  return withPrice(price, rate, { name, value: kept });
}

function withTokenPrice(
  price: Price,
  name: TokenPrice,
  { rate, changes }: { rate: ComparedRate; changes: Changes },
): Price {
  const change = changes.get(fieldOf(rate, name));
  if (rate.stated?.[name] === undefined) return price;
  const kept = rate.own?.[name];
  const wanted = change?.to ?? (kept === undefined ? undefined : formatPricePerMillion(kept));
  if (wanted === undefined) return price;
  if (change === undefined && presentPrice(price, rate, name) === wanted) return price;
  return withPrice(price, rate, { name, value: wanted });
}

function presentPrice(price: Price, rate: RateCondition, name: TokenPrice): string | undefined {
  const prices = isUsual(rate)
    ? usualPricesOf(price)
    : fileRatesOf(price).find((each) => formatRate(each) === formatRate(rate))?.prices;
  return prices && formatPricePerMillion(prices[name]);
}

const isUsual = ({ tier, above }: RateCondition) => tier === usualTier && above === 0;

function withPrice(
  price: Price,
  { tier, above }: RateCondition,
  { name, value }: { name: TokenPrice; value: string },
): Price {
  if (tier === usualTier) return above === 0 ? { ...price, [name]: value } : withStep(price, above, { [name]: value });
  // No list has it: it follows from the usual prices.
  if (tier === batchTier) throw new Error('a list with prices of batches');
  const ofTier = price.tiers?.[tier] ?? {};
  const next = above === 0 ? { ...ofTier, [name]: value } : withStep(ofTier, above, { [name]: value });
  return { ...price, tiers: { ...price.tiers, [tier]: next } };
}

function withStep<Priced extends { steps?: FileStep[] }>(priced: Priced, above: number, prices: FilePrices): Priced {
  const steps = priced.steps ?? [];
  const present = steps.find((step) => step.above === above) ?? { above };
  const others = steps.filter((step) => step.above !== above);
  return { ...priced, steps: [...others, { ...present, ...prices }].sort((one, other) => one.above - other.above) };
}

/** A step without prices is no longer one. */
function withoutPrices(price: Price, rate: ComparedRate, changes: Changes): Price {
  const steps = (price.steps ?? []).flatMap((step) => {
    if (step.above !== rate.above) return [step];
    const kept = Object.entries(step).filter(
      ([name]) => name === 'above' || !changes.has(fieldOf(rate, name as TokenPrice)),
    );
    return kept.length === 1 ? [] : [Object.fromEntries(kept) as FileStep];
  });
  const { steps: _, ...others } = price;
  return steps.length === 0 ? others : { ...others, steps };
}

function withOtherPrices(price: Price, changes: Changes): Price {
  const each = eachUnits.flatMap(({ price: unit }): [EachPrice, string][] => {
    const to = changes.get(unit)?.to;
    return to === undefined || to === null ? [] : [[unit, to]];
  });
  const rows = price.images?.map((row) => ({ ...row, priceUsd: changes.get(formatVariant(row))?.to ?? row.priceUsd }));
  const known = new Set(rows?.map(formatVariant));
  const added = [...changes.values()].flatMap(({ field, to }) => {
    const [size = '', quality] = field.split('/');
    return quality === undefined || to === null || known.has(field) ? [] : [{ size, quality, priceUsd: to }];
  });
  return { ...price, ...Object.fromEntries(each), ...(rows && { images: [...rows, ...added] }) };
}

function factsOf(changes: Changes): Partial<CatalogueFileModel> {
  const chosenValue = (field: string) => changes.get(field)?.to ?? undefined;
  const [context, output, input, day] = [
    chosenValue('contextTokens'),
    chosenValue('maxOutputTokens'),
    chosenValue('inputModalities'),
    chosenValue('retiresAt'),
  ];
  const named = input?.split(', ');
  return {
    ...(context !== undefined && { contextTokens: Number(context) }),
    ...(output !== undefined && { maxOutputTokens: Number(output) }),
    ...(named && { inputModalities: inputModalities.filter((modality) => named.includes(modality)) }),
    ...(day !== undefined && { retiresAt: day }),
  };
}
