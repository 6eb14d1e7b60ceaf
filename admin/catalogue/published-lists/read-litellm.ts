/**
 * LiteLLM's form of a price list, `model_prices_and_context_window.json`: an object with a member for each model, prices are numbers
 * in USD per token. https://docs.litellm.ai/docs/provider_registration/add_model_pricing
 */
import { type InputModality, inputModalities } from '../../../shared/catalogue/modalities.ts';
import type { ModelKind } from '../../../shared/catalogue/model-kinds.ts';
import { isObject, withoutUndefined } from '../../../shared/members.ts';
import type { TokenPrice } from '../../../shared/usage/billable-units.ts';
import type { EachPrices } from '../../../shared/usage/each-prices.ts';
import { anyValue } from '../../../shared/usage/image-prices.ts';
import { formatRate, type PricedTier, pricedTiers, type ServiceTier, usualTier } from '../../../shared/usage/rates.ts';
import { type Offer, type OfferName, type StatedPrices, type StatedRate, UnreadableOffer } from './offer.ts';
import { dayOf, priceEach, pricePerToken, textsOf, tokenCount, withoutUnpricedParts } from './read-values.ts';

type Members = Readonly<Record<string, unknown>>;

const tokenFields: { readonly [Price in TokenPrice]: string } = {
  prompt: 'input_cost_per_token',
  cachedPrompt: 'cache_read_input_token_cost',
  cacheWrite: 'cache_creation_input_token_cost',
  cacheWrite1h: 'cache_creation_input_token_cost_above_1hr',
  audioPrompt: 'input_cost_per_audio_token',
  imagePrompt: 'input_cost_per_image_token',
  completion: 'output_cost_per_token',
  reasoning: 'output_cost_per_reasoning_token',
  audioCompletion: 'output_cost_per_audio_token',
};

/** `input_cost_per_token_above_200k_tokens_priority` */
const rateOfField = /^(.+?)(?:_above_(\d{1,6})k_tokens)?(?:_(flex|priority))?$/;

const kindOfMode: Readonly<Record<string, ModelKind>> = {
  chat: 'chat',
  responses: 'chat',
  completion: 'completion',
  embedding: 'embedding',
  image_generation: 'image',
  image_edit: 'image',
  audio_speech: 'speech',
  audio_transcription: 'transcription',
  moderation: 'moderation',
  rerank: 'rerank',
};

/** All that a model of this kind returns is audio. */
const audioFields: { readonly [Kind in ModelKind]?: Readonly<Record<string, string>> } = {
  speech: { output_cost_per_audio_token: 'output_cost_per_token' },
};

const supportFields: readonly (readonly [string, InputModality])[] = [
  ['supports_vision', 'image'],
  ['supports_pdf_input', 'file'],
  ['supports_audio_input', 'audio'],
  ['supports_video_input', 'video'],
];

/** Throws UnreadableOffer. */
export function readLitellmModel(entry: string, model: unknown): Offer {
  if (!isObject(model)) throw new UnreadableOffer('it is not an object');
  const kind = typeof model.mode === 'string' ? kindOfMode[model.mode] : undefined;
  const rates = ratesOf(model, kind);
  const [usual, ...others] = rates;
  return {
    entry,
    names: [nameOf(entry, model)],
    kind,
    tokens: usual?.prices ?? {},
    rates: others,
    each: eachOf(model),
    images: imageOf(model, kind),
    ...withoutUndefined({
      contextTokens: tokenCount(model.max_input_tokens, 'max_input_tokens'),
      maxOutputTokens: tokenCount(model.max_output_tokens, 'max_output_tokens'),
      inputModalities: inputOf(model),
      retiresAt: dayOf(model.deprecation_date, 'deprecation_date'),
    }),
  };
}

/** The prefix of an entry is its provider, if it names that of the model. */
export function nameOf(entry: string, { litellm_provider: given }: Members): OfferName {
  const name = entry.toLowerCase();
  const slash = name.indexOf('/');
  const provider = typeof given === 'string' ? given.toLowerCase() : name.slice(0, Math.max(slash, 0));
  return { provider, model: name.startsWith(`${provider}/`) ? name.slice(provider.length + 1) : name };
}

/** The usual prices first. A tier without a step that the usual prices have cannot be compared, so it is left out. */
function ratesOf(model: Members, kind: ModelKind | undefined): StatedRate[] {
  const found = new Map<string, { tier: ServiceTier; above: number; prices: Partial<Record<TokenPrice, bigint>> }>();
  found.set('', { tier: usualTier, above: 0, prices: {} });
  for (const [field, value] of Object.entries(withAudio(model, kind))) {
    const [, base, thousands, named] = rateOfField.exec(field) ?? [];
    const price = priceOfField.get(base ?? '');
    const stated = price === undefined ? undefined : pricePerToken(value, field);
    if (price === undefined || stated === undefined) continue;
    const condition = { tier: tierOf(named), above: Number(thousands ?? 0) * 1_000 };
    const key = formatRate(condition);
    const rate = found.get(key) ?? { ...condition, prices: {} };
    rate.prices[price] = stated;
    found.set(key, rate);
  }
  const rates = [...found.values()].map((rate) => ({
    ...rate,
    prices: withoutUnpricedParts(rate.prices as StatedPrices),
  }));
  return rates.filter(({ tier }) => tier === usualTier || isComplete(tier, rates));
}

const priceOfField: ReadonlyMap<string, TokenPrice> = new Map(
  Object.entries(tokenFields).map(([price, field]) => [field, price as TokenPrice]),
);

const tierOf = (name: string | undefined): ServiceTier =>
  pricedTiers.find((tier): tier is PricedTier => tier === name) ?? usualTier;

function isComplete(tier: ServiceTier, rates: readonly StatedRate[]): boolean {
  const own = rates.filter((rate) => rate.tier === tier);
  const base = own.find(({ above }) => above === 0)?.prices;
  if (base?.prompt === undefined || base.completion === undefined) return false;
  const usual = rates.filter((rate) => rate.tier === usualTier);
  return usual.every(({ above }) => own.some((rate) => rate.above === above));
}

function withAudio(model: Members, kind: ModelKind | undefined): Members {
  const fields = kind === undefined ? undefined : audioFields[kind];
  if (fields === undefined) return model;
  const renamed = Object.entries(fields).flatMap(([from, to]) =>
    model[from] === undefined ? [] : [[to, model[from]]],
  );
  const others = Object.entries(model).filter(([name]) => fields[name] === undefined);
  return Object.fromEntries([...others, ...renamed]);
}

function eachOf(model: Members): EachPrices {
  return withoutUndefined({
    request: priceEach(model.input_cost_per_request, 'input_cost_per_request'),
    character: priceEach(model.input_cost_per_character, 'input_cost_per_character'),
    second:
      priceEach(model.input_cost_per_second, 'input_cost_per_second') ??
      priceEach(model.output_cost_per_second, 'output_cost_per_second'),
    search: priceEach(model.input_cost_per_query, 'input_cost_per_query'),
    webSearch: webSearchOf(model.search_context_cost_per_query),
  });
}

/** Providers no longer price searches by their size. */
function webSearchOf(prices: unknown) {
  const name = 'search_context_size_medium';
  return isObject(prices) ? priceEach(prices[name], `search_context_cost_per_query.${name}`) : undefined;
}

/** One price for every size and quality. Those of each size are entries of their own (image-entries.ts). */
function imageOf(model: Members, kind: ModelKind | undefined): Offer['images'] {
  if (kind !== 'image') return [];
  const price = priceOfImage(model);
  return price === undefined ? [] : [{ size: anyValue, quality: anyValue, price }];
}

/** Throws UnreadableOffer. */
export function priceOfImage(model: Members) {
  const made = priceEach(model.output_cost_per_image, 'output_cost_per_image');
  return made ?? priceEach(model.input_cost_per_image, 'input_cost_per_image');
}

/** Undefined if the list says nothing. */
function inputOf(model: Members): readonly InputModality[] | undefined {
  const listed = textsOf(model.supported_modalities);
  const supported = supportFields.filter(([field]) => model[field] === true).map(([, modality]) => modality);
  const isSaid = listed.length > 0 || supportFields.some(([field]) => typeof model[field] === 'boolean');
  if (!isSaid) return undefined;
  return inputModalities.filter(
    (modality) => modality === 'text' || listed.includes(modality) || supported.includes(modality),
  );
}
