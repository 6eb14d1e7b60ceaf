/**
 * The prices that apply to one request: a model that makes images has one for each size and quality, others may have
 * rates for long prompts and service tiers.
 */
import { type KindOfModel, kinds } from '../../shared/catalogue/model-kinds.ts';
import { GatewayError } from '../../shared/errors.ts';
import { unsupportedParameter } from '../../shared/http/parameter-errors.ts';
import { anyValue, findImagePrice, formatVariant, type ImageVariant } from '../../shared/usage/image-prices.ts';
import type { Rate } from '../../shared/usage/rate-prices.ts';
import {
  batchTier,
  findRate,
  type PricedTier,
  pricedTiers,
  type ServiceTier,
  usualTier,
} from '../../shared/usage/rates.ts';
import type { Call, ChatCall } from '../nouns/call.ts';
import { pricedTierOf } from '../nouns/requests/unpriced-parameters.ts';
import type { Usage } from '../nouns/usage.ts';
import type { Model, PricedModel } from './catalogue.ts';

/**
 * The model with the price of the requested image, and with the rates that the request can reach. Throws GatewayError
 * `invalid_parameter` or `unsupported_parameter` where it has no price.
 */
export function pricedFor(model: Model, call: Call): Model {
  if (call.kind === 'image') {
    if (call.edited !== undefined) checkSourcePrice(model);
    return withImagePrice(model, call.variant);
  }
  if (call.kind === 'speech' || call.kind === 'transcription') checkAudioPrice(model, call);
  if (call.kind === 'chat') {
    checkLongCacheWrite(model, call);
    checkAudioOutput(model, call);
    checkSearchPrice(model, call);
  }
  const requested = pricedTierOf(call.body);
  const isOfBatch = call.isDeferred === true && requested === undefined && hasTier(model, batchTier);
  const tier = isOfBatch ? batchTier : requested;
  return tier === undefined ? atUsualTier(model) : withRates(model, tier);
}

/** Whether it has the price that models of its kind may have instead of prices per token. */
export function isPaidByUnit({ kind, prices: { each } }: Pick<Model, 'kind' | 'prices'>): boolean {
  const { paidBy }: KindOfModel = kinds[kind];
  return paidBy !== undefined && each?.[paidBy] !== undefined;
}

function withImagePrice(model: Model, variant: ImageVariant): Model {
  const { imagePrices = [] } = model;
  const image = findImagePrice(imagePrices, variant);
  if (image === undefined) throw withoutPrice(model, variant);
  return { ...model, prices: { ...model.prices, image } };
}

/** Most requests ask for no tier, so what they can reach is derived once for each model of a catalogue. */
const usualTiers = new WeakMap<Model, Model>();

function atUsualTier(model: Model): Model {
  const { rates } = model;
  if (rates === undefined) return model;
  const known = usualTiers.get(model);
  if (known !== undefined) return known;
  const derived = { ...model, rates: rates.filter(({ tier }) => tier === usualTier) };
  usualTiers.set(model, derived);
  return derived;
}

/** A provider may serve a request at the usual tier instead of the one that it asks for, and never at another. */
function withRates(model: Model, tier: PricedTier | typeof batchTier): Model {
  const { rates = [] } = model;
  if (!hasTier(model, tier)) throw withoutTier(model, tier);
  return { ...model, tier, rates: rates.filter((rate) => rate.tier === usualTier || rate.tier === tier) };
}

/**
 * What applies to a whole request by its usage, undefined for the usual prices. A tier that the request cannot reach is
 * priced as the one that it asks for.
 */
export function appliedRate({ rates, tier: requested = usualTier }: PricedModel, usage: Usage): Rate | undefined {
  if (rates === undefined) return undefined;
  const tier = usage.tier === usualTier && requested !== batchTier ? usualTier : requested;
  return findRate(rates, tier, usage.promptTokens);
}

function withoutPrice({ id, imagePrices = [] }: Model, variant: ImageVariant): GatewayError {
  const hasSize = imagePrices.some(({ size }) => size === variant.size || size === anyValue);
  const offered = imagePrices.map(formatVariant).join(', ') || 'none';
  return new GatewayError(
    'invalid_parameter',
    `'${id}' has no price for images of ${formatVariant(variant)} (size/quality). It has: ${offered}.`,
    { param: hasSize ? 'quality' : 'size' },
  );
}

/** Providers bill the images that others are made from, by their tokens. */
function checkSourcePrice({ id, prices }: Model): void {
  if (prices.prompt > 0n) return;
  throw unsupportedParameter('image', `'${id}' has no price for the tokens of images that others are made from.`);
}

/** An earlier admin may have published the model without it. */
function checkAudioPrice(model: Model, { stream }: Call): void {
  const { id, kind, maxOutputTokens } = model;
  const isByUnit = isPaidByUnit(model);
  if (!isByUnit && maxOutputTokens === 0) {
    throw new GatewayError('invalid_parameter', `'${id}' has no price.`, { param: 'model' });
  }
  if (kind === 'transcription' && isByUnit && stream) {
    throw unsupportedParameter('stream', `'${id}' does not stream its transcripts.`);
  }
}

function checkLongCacheWrite({ id, hasLongCacheWrites }: Model, { longCacheWriteAt: param }: ChatCall): void {
  if (param === undefined || hasLongCacheWrites) return;
  throw unsupportedParameter(param, `'${id}' has no price for a cache write of an hour; only '5m' has one.`);
}

function checkAudioOutput({ id, prices }: Model, { outputsAudio, body }: ChatCall): void {
  if (!outputsAudio || prices.audioCompletion !== prices.completion) return;
  const param = (body.audio ?? null) === null ? 'modalities' : 'audio';
  throw unsupportedParameter(param, `'${id}' has no price for audio in its output.`);
}

/** Another model of the request may have one. */
function checkSearchPrice({ id, prices }: Model, { webSearch }: ChatCall): void {
  if (webSearch === undefined || prices.each?.webSearch !== undefined) return;
  throw unsupportedParameter(webSearch.requiredBy ?? 'tools', `'${id}' has no price for searches of the web.`);
}

function hasTier({ rates = [] }: Model, tier: ServiceTier): boolean {
  return rates.some((rate) => rate.tier === tier);
}

function withoutTier({ id, rates = [] }: Model, tier: ServiceTier): GatewayError {
  const offered = pricedTiers.filter((each) => rates.some((rate) => rate.tier === each));
  return unsupportedParameter(
    'service_tier',
    `'${id}' has no price for the service tier '${tier}'. It has: ${[usualTier, ...offered].join(', ')}.`,
  );
}
