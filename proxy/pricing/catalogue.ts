/**
 * The catalogue as this process uses it: models by id, prices as integers, deployments with their provider, in the
 * order in which they are tried.
 */

import { type InputModality, inputModalities } from '../../shared/catalogue/modalities.ts';
import type { ModelKind } from '../../shared/catalogue/model-kinds.ts';
import {
  type DecodedCatalogue,
  type DecodedModel,
  type OnDisconnect,
  type PublishedProvider,
  servedKinds,
  type TokenRatio,
} from '../../shared/catalogue/published-catalogue.ts';
import type { DeploymentFacts } from '../../shared/keys/data-policy.ts';
import { withoutUndefined } from '../../shared/members.ts';
import { parseRubPerUsd, picoUsdEach, type RubPerUsd } from '../../shared/money.ts';
import { type EachPrices, readEachPrices } from '../../shared/usage/each-prices.ts';
import type { ImagePrice } from '../../shared/usage/image-prices.ts';
import type { Rate } from '../../shared/usage/rate-prices.ts';
import type { ServiceTier } from '../../shared/usage/rates.ts';
import { readTokenPrices, type TokenPrices } from '../../shared/usage/token-prices.ts';

export interface Prices extends TokenPrices {
  readonly version: number;
  /** That of each image of the request, where images are wanted. */
  readonly image?: ImagePrice;
  /** Of what is counted one by one; undefined if nothing is. */
  readonly each?: EachPrices;
}

/** What customers demand of it is judged by the facts that the catalogue publishes. */
export interface Deployment extends DeploymentFacts {
  /** `provider/upstream-model`. */
  readonly name: string;
  readonly provider: PublishedProvider;
  /** The model's name at the provider. */
  readonly model: string;
  readonly priority: number;
  readonly weight: number;
  /** What happens upstream when the client has disconnected: `drain` where a provider bills the whole response anyway. */
  readonly onDisconnect: OnDisconnect;
  /** Its tokens for one of o200k_base before it is calibrated; 1 if absent. */
  readonly tokenRatio?: TokenRatio;
  /** Lines of batches are sent to it as a batch of its provider. */
  readonly batches?: boolean;
}

export interface Model {
  readonly id: string;
  readonly kind: ModelKind;
  readonly ownedBy: string;
  readonly createdAt: number;
  readonly contextTokens: number;
  readonly maxOutputTokens: number;
  /** The most that a vector of an embedding model has, if the catalogue says it. */
  readonly dimensions?: number;
  /** Of a chat model, if the catalogue says it. */
  readonly inputModalities?: readonly InputModality[];
  /** The day in UTC from which it is no longer served: `2030-06-30`. */
  readonly retiresAt?: string;
  /** The beginning of that day, in Unix milliseconds. */
  readonly retiresAtMs?: number;
  readonly prices: Prices;
  /** Whether requests may ask for cache writes of an hour. */
  readonly hasLongCacheWrites?: boolean;
  /** Of a model that makes images. */
  readonly imagePrices?: readonly ImagePrice[];
  /** Those that replace `prices` for long prompts and at other service tiers; for a request, those that it can reach. */
  readonly rates?: readonly Rate[];
  /** That the request asks for; the usual one if undefined. */
  readonly tier?: ServiceTier;
  readonly deployments: readonly Deployment[];
}

/** What the cost of a request depends on, besides its usage. */
export type PricedModel = Pick<Model, 'prices' | 'rates' | 'tier'>;

/** Roubles per US dollar, and the source of the rate. */
export interface RubRate {
  readonly perUsd: RubPerUsd;
  /** `2026-11-21`; null for a configured rate. */
  readonly date: string | null;
  readonly source: 'cbr' | 'configured';
}

export interface Catalogue {
  readonly revision: string;
  readonly rubRate: RubRate;
  readonly models: ReadonlyMap<string, Model>;
  /** By which customers may name providers. */
  readonly providerNames: ReadonlySet<string>;
}

/** Throws if a deployment names an unknown provider. */
export function buildCatalogue(revision: string, published: Omit<DecodedCatalogue, 'leftOut'>): Catalogue {
  const providers = new Map(published.providers.map((provider) => [provider.id, provider]));
  const models = published.models.map((model) => buildModel(model, providers));
  return {
    revision,
    rubRate: { ...published.rubRate, perUsd: parseRubPerUsd(published.rubRate.perUsd) },
    models: new Map(models.map((model) => [model.id, model])),
    providerNames: new Set(published.providers.flatMap(({ publicName }) => publicName ?? [])),
  };
}

function buildModel(model: DecodedModel, providers: ReadonlyMap<string, PublishedProvider>): Model {
  const each = readEachPrices((price) => model[`${price}Pico`]);
  return {
    id: model.id,
    kind: model.kind,
    ownedBy: model.ownedBy,
    createdAt: model.createdAt,
    contextTokens: model.contextTokens,
    maxOutputTokens: model.maxOutputTokens,
    ...withoutUndefined({
      dimensions: model.dimensions,
      inputModalities: model.inputModalities && knownOf(model.inputModalities),
      retiresAt: model.retiresAt,
      retiresAtMs: model.retiresAt === undefined ? undefined : Date.parse(model.retiresAt),
    }),
    prices: {
      version: model.priceVersion,
      ...readTokenPrices((price) => model[`${price}Pico`]),
      ...(Object.keys(each).length > 0 && { each }),
    },
    ...(model.hasLongCacheWrites !== undefined && { hasLongCacheWrites: model.hasLongCacheWrites }),
    ...(model.imagePrices !== undefined && {
      imagePrices: model.imagePrices.map(({ size, quality, pico }) => ({
        size,
        quality,
        price: picoUsdEach(BigInt(pico)),
      })),
    }),
    ...(model.rates !== undefined && {
      rates: model.rates.map((rate) => ({
        tier: rate.tier,
        above: rate.above,
        prices: readTokenPrices((price) => rate[`${price}Pico`]),
      })),
    }),
    deployments: model.deployments
      .map((deployment) => {
        const provider = providers.get(deployment.provider);
        if (provider === undefined)
          throw new Error(`model ${model.id} names the unknown provider ${deployment.provider}`);
        const { id, publicName } = provider;
        return { ...deployment, ...withoutUndefined({ publicName }), provider, name: `${id}/${deployment.model}` };
      })
      // Admin refuses such a deployment; an admin of an earlier version did not.
      .filter(({ provider }) => servedKinds[provider.protocol].includes(model.kind))
      .sort((one, other) => one.priority - other.priority),
  };
}

const knownOf = (modalities: readonly string[]) => inputModalities.filter((modality) => modalities.includes(modality));
