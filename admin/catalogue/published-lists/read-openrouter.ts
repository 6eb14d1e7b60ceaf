/**
 * OpenRouter's form of a price list, which `GET /api/v1/models` returns: `data` has the models, prices are texts in USD per token.
 * https://openrouter.ai/docs/api_reference/models
 */
import { inputModalities } from '../../../shared/catalogue/modalities.ts';
import type { ModelKind } from '../../../shared/catalogue/model-kinds.ts';
import { isObject, withoutUndefined } from '../../../shared/members.ts';
import type { PicoUsdPerToken } from '../../../shared/money.ts';
import type { TokenPrice } from '../../../shared/usage/billable-units.ts';
import { usualTier } from '../../../shared/usage/rates.ts';
import { type Offer, type OfferName, type StatedPrices, type StatedRate, UnreadableOffer } from './offer.ts';
import { dayOf, priceEach, pricePerToken, textsOf, tokenCount, withoutUnpricedParts } from './read-values.ts';

type Members = Readonly<Record<string, unknown>>;

/** It has no price for cache writes of an hour, nor for the images that others are made from. */
const tokenFields: { readonly [Price in Exclude<TokenPrice, 'cacheWrite1h' | 'imagePrompt'>]: string } = {
  prompt: 'prompt',
  cachedPrompt: 'input_cache_read',
  cacheWrite: 'input_cache_write',
  audioPrompt: 'audio',
  completion: 'completion',
  reasoning: 'internal_reasoning',
  audioCompletion: 'audio_output',
};

/** By the only kind of output that a model has; one that also writes text is a chat. */
const kindOfOutput: Readonly<Record<string, ModelKind>> = {
  text: 'chat',
  embeddings: 'embedding',
  image: 'image',
  speech: 'speech',
  transcription: 'transcription',
  moderation: 'moderation',
  rerank: 'rerank',
};

/** Throws UnreadableOffer. */
export function readOpenrouterModel(model: unknown): Offer {
  if (!isObject(model) || typeof model.id !== 'string') throw new UnreadableOffer('it has no id');
  const pricing = membersOf(model.pricing);
  const architecture = membersOf(model.architecture);
  const input = textsOf(architecture.input_modalities);
  const kind = kindOf(textsOf(architecture.output_modalities));
  return {
    entry: model.id,
    names: [model.id, model.canonical_slug].flatMap((id) => (typeof id === 'string' ? namesOf(id) : [])),
    kind,
    tokens: tokensOf(pricing, 'pricing'),
    rates: stepsOf(pricing.overrides),
    each: withoutUndefined({
      request: priceEach(pricing.request, 'pricing.request'),
      webSearch: priceEach(pricing.web_search, 'pricing.web_search'),
    }),
    images: [],
    ...withoutUndefined({
      contextTokens: tokenCount(model.context_length, 'context_length'),
      maxOutputTokens: tokenCount(membersOf(model.top_provider).max_completion_tokens, 'max_completion_tokens'),
      inputModalities: input.length === 0 ? undefined : inputModalities.filter((modality) => input.includes(modality)),
      retiresAt: dayOf(model.expiration_date, 'expiration_date'),
    }),
  };
}

/** The maker's model, and OpenRouter's own. */
function namesOf(id: string): OfferName[] {
  const name = id.toLowerCase();
  const slash = name.indexOf('/');
  const ofMaker = { provider: name.slice(0, slash), model: name.slice(slash + 1) };
  return [...(slash > 0 ? [ofMaker] : []), { provider: 'openrouter', model: name }];
}

function kindOf(output: readonly string[]): ModelKind | undefined {
  if (output.includes('text')) return 'chat';
  const [only] = output;
  return only === undefined ? undefined : kindOfOutput[only];
}

function tokensOf(prices: Members, place: string): StatedPrices {
  const stated = Object.entries(tokenFields).map(([price, field]) => [
    price,
    pricePerToken(prices[field], `${place}.${field}`),
  ]);
  return withoutUnpricedParts(
    withoutUndefined(Object.fromEntries(stated) as Partial<Record<TokenPrice, PicoUsdPerToken>>),
  );
}

/** `min_prompt_tokens` is the size that a prompt has to exceed. */
function stepsOf(overrides: unknown): StatedRate[] {
  if (!Array.isArray(overrides)) return [];
  return overrides.filter(isObject).flatMap((override, index) => {
    const place = `pricing.overrides[${index}]`;
    const above = tokenCount(override.min_prompt_tokens, `${place}.min_prompt_tokens`);
    return above === undefined ? [] : [{ tier: usualTier, above, prices: tokensOf(override, place) }];
  });
}

const membersOf = (value: unknown): Members => (isObject(value) ? value : {});
