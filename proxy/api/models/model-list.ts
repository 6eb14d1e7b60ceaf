/**
 * GET /v1/models and /v1/models/{id}: the models with their prices. The list is rendered once per catalogue, and again when a
 * model retires. Its ETag saves clients that poll from downloading it again (RFC 9110 §13.1.2).
 */
import { type InputModality, modalitiesOf, type OutputModality } from '../../../shared/catalogue/modalities.ts';
import { matchesEtag } from '../../../shared/http/request-headers.ts';
import { differentFacts } from '../../../shared/keys/data-policy.ts';
import {
  formatPriceEach,
  formatPricePerToken,
  formatRubEach,
  formatRubPer100kTokens,
  formatRubPerUsd,
  type PicoUsdEach,
  type PicoUsdPerToken,
  type RubPerUsd,
} from '../../../shared/money.ts';
import type { EachPriceColumn, PartUnit, PriceColumnName } from '../../../shared/usage/billable-units.ts';
import { listEachPrices } from '../../../shared/usage/each-prices.ts';
import type { ImageVariant } from '../../../shared/usage/image-prices.ts';
import type { RateCondition, ServiceTier } from '../../../shared/usage/rates.ts';
import { partsWithOwnPrice, type TokenPrices } from '../../../shared/usage/token-prices.ts';
import type { Catalogue, Model, RubRate } from '../../pricing/catalogue.ts';
import { hasRetired } from '../../pricing/find-model.ts';
import { supportedParameters } from '../../providers/supported-parameters.ts';

export interface ModelObject {
  readonly id: string;
  readonly object: 'model';
  readonly created: number;
  readonly owned_by: string;
  /** Beyond OpenAI's API: what the model is for, and its token limits. */
  readonly kind: string;
  readonly context_length: number;
  readonly max_output_tokens: number;
  /** In OpenRouter's words: what it takes and gives, which parameters have an effect, and the day on which it retires. */
  readonly architecture: ArchitectureObject;
  readonly supported_parameters: readonly string[];
  readonly expiration_date: string | null;
  /** Who may serve it, and what is known of them; absent where the catalogue says nothing. */
  readonly providers?: readonly ProviderObject[];
  readonly pricing: TokenPriceObject & {
    readonly images?: readonly PriceOfImage[];
  } & { readonly [Price in EachPriceColumn]?: string } & {
    /** Prices that replace these for long prompts and at other service tiers. */
    readonly rates?: readonly RateObject[];
  };
  readonly pricing_rub: TokenPriceRubObject & {
    readonly images?: readonly PriceOfImage[];
  } & { readonly [Price in EachPriceColumn]?: string } & {
    readonly rates?: readonly RateRubObject[];
    readonly currency: 'RUB';
    /** Beyond OpenAI's API: roubles per US dollar, the day of the rate, and its source. */
    readonly rate: string;
    readonly rate_date: string | null;
    readonly rate_source: 'cbr' | 'configured';
  };
}

interface ArchitectureObject {
  readonly input_modalities: readonly InputModality[];
  readonly output_modalities: readonly OutputModality[];
}

/** Providers of which the same is known are one. Null is unknown, and meets no demand of a request. */
interface ProviderObject {
  /** By which requests name it; null if customers are not told. */
  readonly name: string | null;
  /** ISO 3166-1 alpha-2. */
  readonly country: string | null;
  /** How long it stores requests; 0 for not at all. */
  readonly retention_days: number | null;
  readonly trains_on_requests: boolean | null;
}

type TokenPriceObject = {
  readonly prompt: string;
  readonly completion: string;
  /** Only where they differ from that of the whole: `reasoning` from `completion`, the others from `prompt`. */
} & { readonly [Name in PriceColumnName<PartUnit>]?: string };

type TokenPriceRubObject = {
  readonly prompt_per_100k: string;
  readonly completion_per_100k: string;
  /** Where the prices in dollars have them. */
} & { readonly [Name in PriceColumnName<PartUnit> as `${Name}_per_100k`]?: string };

/** When a rate applies. */
interface RateConditionObject {
  readonly service_tier: ServiceTier;
  readonly above_prompt_tokens: number;
}

type RateObject = RateConditionObject & TokenPriceObject;
type RateRubObject = RateConditionObject & TokenPriceRubObject;

/** Of a model that makes images: a row of its price list, in USD or roubles. */
interface PriceOfImage extends ImageVariant {
  readonly price: string;
}

interface RenderedList {
  readonly body: string;
  readonly etag: string;
  /** When the next model retires, in Unix milliseconds. */
  readonly untilMs: number;
}

const lists = new WeakMap<Catalogue, RenderedList>();

export function handleModelList(catalogue: Catalogue, request: Request): Response {
  const { body, etag } = listOf(catalogue);
  const headers = { etag, 'cache-control': 'no-cache', vary: 'origin' };
  if (matchesEtag(request.headers.get('if-none-match'), etag)) return new Response(null, { status: 304, headers });
  return new Response(body, { headers: { ...headers, 'content-type': 'application/json' } });
}

export function describeModel(model: Model, { perUsd, date, source }: RubRate): ModelObject {
  const { rates = [] } = model;
  const priceImages = (format: (price: PicoUsdEach) => string) =>
    model.imagePrices?.map(({ size, quality, price }) => ({ size, quality, price: format(price) }));
  const images = priceImages(formatPriceEach);
  const imagesRub = priceImages((price) => formatRubEach(price, perUsd));
  return {
    id: model.id,
    object: 'model',
    created: model.createdAt,
    owned_by: model.ownedBy,
    kind: model.kind,
    context_length: model.contextTokens,
    max_output_tokens: model.maxOutputTokens,
    architecture: describeArchitecture(model),
    supported_parameters: supportedParameters(model),
    expiration_date: model.retiresAt ?? null,
    ...describeProviders(model),
    pricing: {
      ...describePrices(model.prices),
      ...(images !== undefined && { images }),
      ...describeEach(model, formatPriceEach),
      ...(rates.length > 0 && { rates: rates.map((each) => describeRate(each, describePrices(each.prices))) }),
    },
    pricing_rub: {
      ...describePricesRub(model.prices, perUsd),
      ...(imagesRub !== undefined && { images: imagesRub }),
      ...describeEach(model, (price) => formatRubEach(price, perUsd)),
      ...(rates.length > 0 && {
        rates: rates.map((each) => describeRate(each, describePricesRub(each.prices, perUsd))),
      }),
      currency: 'RUB',
      rate: formatRubPerUsd(perUsd),
      rate_date: date,
      rate_source: source,
    },
  };
}

function describeArchitecture({ prices, ...model }: Model): ArchitectureObject {
  const { input, output } = modalitiesOf({
    ...model,
    hasPromptPrice: prices.prompt > 0n,
    hasAudioOutput: prices.audioCompletion !== prices.completion,
  });
  return { input_modalities: input, output_modalities: output };
}

function describeProviders({ deployments }: Model): Pick<ModelObject, 'providers'> {
  const providers = differentFacts(deployments).map(({ publicName, country, retentionDays, trains }) => ({
    name: publicName ?? null,
    country: country ?? null,
    retention_days: retentionDays ?? null,
    trains_on_requests: trains ?? null,
  }));
  return providers.length === 0 ? {} : { providers };
}

function describePrices(prices: TokenPrices): TokenPriceObject {
  const apart = partsWithOwnPrice(prices);
  return {
    prompt: formatPricePerToken(prices.prompt),
    completion: formatPricePerToken(prices.completion),
    ...Object.fromEntries(apart.map((unit) => [unit.priceColumn, formatPricePerToken(prices[unit.price])])),
  };
}

function describePricesRub(prices: TokenPrices, perUsd: RubPerUsd): TokenPriceRubObject {
  const per100k = (price: PicoUsdPerToken) => formatRubPer100kTokens(price, perUsd);
  const apart = partsWithOwnPrice(prices);
  return {
    prompt_per_100k: per100k(prices.prompt),
    completion_per_100k: per100k(prices.completion),
    ...Object.fromEntries(apart.map((unit) => [`${unit.priceColumn}_per_100k`, per100k(prices[unit.price])])),
  };
}

function describeEach({ prices: { each = {} } }: Model, format: (price: PicoUsdEach) => string) {
  const described = listEachPrices(each).map(({ column, price }) => [column, format(price)] as const);
  return Object.fromEntries(described) as { readonly [Price in EachPriceColumn]?: string };
}

function describeRate<Described extends object>({ tier, above }: RateCondition, prices: Described) {
  return { service_tier: tier, above_prompt_tokens: above, ...prices };
}

function listOf(catalogue: Catalogue): RenderedList {
  let list = lists.get(catalogue);
  if (list === undefined || Date.now() >= list.untilMs) {
    const served = [...catalogue.models.values()].filter((model) => !hasRetired(model));
    const body = JSON.stringify({
      object: 'list',
      data: served.map((model) => describeModel(model, catalogue.rubRate)),
    });
    list = {
      body,
      etag: `"${new Bun.CryptoHasher('sha256').update(body).digest('base64url')}"`,
      untilMs: Math.min(...served.map(({ retiresAtMs }) => retiresAtMs ?? Number.POSITIVE_INFINITY)),
    };
    lists.set(catalogue, list);
  }
  return list;
}
