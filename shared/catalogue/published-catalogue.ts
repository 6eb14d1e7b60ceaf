/**
 * The catalogue as admin publishes it to Redis and every proxy reads it: one JSON document under one key, with a
 * revision that changes whenever anything in it does. Prices are listed prices, markup included, as decimal strings
 * of pico-USD per token.
 *
 * A newer admin may publish more than this version knows. Unknown members are ignored, and providers with an unknown
 * protocol and models of an unknown kind are left out; a change to how requests are billed always comes with one of
 * these: `chat+rates` is a chat model for those who know how to bill rates, and an unknown kind for all others.
 * Anything else that is malformed is an error, and the whole document is refused.
 */
import { type Static, type TOptional, type TString, Type } from '@sinclair/typebox';
import { TypeCompiler } from '@sinclair/typebox/compiler';
import {
  type EachPrice,
  eachUnits,
  type StoredTokenPrice,
  type TokenPrice,
  tokenUnits,
} from '../usage/billable-units.ts';
import { batchTier, serviceTiers } from '../usage/rates.ts';
import { partsWithOwnPrice, type TokenPrices } from '../usage/token-prices.ts';
import { kinds, type ModelKind, modelKinds } from './model-kinds.ts';
import { openaiQuirks } from './openai-quirks.ts';

export const catalogueKey = 'catalogue';
export const catalogueFields = { revision: 'revision', document: 'document' } as const;

export const protocols = ['openai', 'openai-responses', 'anthropic', 'gemini', 'bedrock', 'cohere'] as const;
export type Protocol = (typeof protocols)[number];

/** The kinds of models that are served over each protocol. */
export const servedKinds: Readonly<Record<Protocol, readonly ModelKind[]>> = {
  openai: modelKinds,
  'openai-responses': ['chat'],
  anthropic: ['chat'],
  gemini: ['chat', 'embedding'],
  bedrock: ['chat'],
  cohere: ['rerank'],
};

/** Whether requests over this protocol can ask for a cache write of an hour, and responses say how much was written. */
export function servesLongCacheWrites(protocol: Protocol): boolean {
  return protocol === 'anthropic';
}

/** Whether chat models over this protocol can be asked for audio. */
export function servesAudioOutput(protocol: Protocol): boolean {
  return protocol === 'openai';
}

/** Prices of what a request has to ask for: without such a price it is refused, and not every protocol serves it. */
export const servesPrice: { readonly [Price in TokenPrice]?: (protocol: Protocol) => boolean } = {
  cacheWrite1h: servesLongCacheWrites,
  audioCompletion: servesAudioOutput,
};

const searchingProtocols: readonly Protocol[] = ['openai-responses', 'anthropic'];

/** Whether providers of this protocol search the web for a model, and their responses say how often. */
export function servesWebSearches(protocol: Protocol): boolean {
  return searchingProtocols.includes(protocol);
}

const tieredProtocols: readonly Protocol[] = ['openai', 'openai-responses'];

/** Whether requests over this protocol can ask for a service tier. */
export function servesTiers(protocol: Protocol): boolean {
  return tieredProtocols.includes(protocol);
}

const batchProtocols: readonly Protocol[] = ['openai', 'openai-responses', 'anthropic'];

/** Whether providers of this protocol run batches themselves. */
export function servesBatches(protocol: Protocol): boolean {
  return batchProtocols.includes(protocol);
}

export const onDisconnectChoices = ['abort', 'drain'] as const;
export type OnDisconnect = (typeof onDisconnectChoices)[number];

/** Scripts that tokenizers treat differently. ASCII, and Latin letters with accents, are `latin`. */
export const tokenScripts = [
  ...(['latin', 'cyrillic', 'greek', 'semitic', 'indic', 'southeastAsian', 'han', 'kana', 'hangul'] as const),
  'other',
] as const;
export type TokenScript = (typeof tokenScripts)[number];

/** How many tokens a deployment counts for one of o200k_base. Not money: proxies read it as a float. */
export const tokenRatio = Type.String({
  pattern: '^(0\\.[2-9][0-9]{0,2}|[1-4](\\.[0-9]{1,3})?)$',
  expected: 'a quoted decimal from "0.2" to "4.999"',
});

/** The same for each script that is named; 1 for the others. */
export const tokenRatios = Type.Object(
  Object.fromEntries(tokenScripts.map((script) => [script, Type.Optional(tokenRatio)])),
  { additionalProperties: false },
);

const protocolsBilledWhole: readonly Protocol[] = ['gemini', 'bedrock'];

/** Whether a request that is aborted is billed as if it had been finished; an operator may know of others (`drain`). */
export function isBilledWhole(kind: ModelKind, protocol: Protocol): boolean {
  return kinds[kind].isMadeWhole || protocolsBilledWhole.includes(protocol);
}

const picoUsd = Type.String({ pattern: '^[0-9]{1,19}$' });

export const quirksSchema = Type.Object(
  {
    ...openaiQuirks,
    /** Anthropic: how a JSON schema is requested; `tool` by default, `native` where every model has `output_config`. */
    structuredOutput: Type.Optional(Type.Union([Type.Literal('tool'), Type.Literal('native')])),
    /**
     * `budget` by default; `effort` for Anthropic's models that take neither thinking budgets nor sampling parameters,
     * and for Gemini's that want a thinking level. Bedrock: the same for Anthropic's models there.
     */
    reasoningControl: Type.Optional(Type.Union([Type.Literal('budget'), Type.Literal('effort')])),
  },
  { additionalProperties: false },
);

const timeoutMs = Type.Integer({ minimum: 1, maximum: 3_600_000, expected: 'milliseconds, at most an hour' });

/** For providers that need other limits than the proxy's own. */
export const timeoutsSchema = Type.Object(
  {
    /** Until the headers of a response. */
    headersMs: Type.Optional(timeoutMs),
    /** Between two chunks of a response. */
    idleMs: Type.Optional(timeoutMs),
    /** For a whole request. */
    totalMs: Type.Optional(timeoutMs),
  },
  { additionalProperties: false },
);

/** For providers whose key is exchanged for an access token, which is renewed in time. */
export const authSchema = Type.Object(
  {
    /** Client credentials as GigaChat grants them: Basic authorization, `RqUID`, a scope. */
    type: Type.Literal('oauth', { expected: 'oauth' }),
    tokenUrl: Type.Optional(
      Type.String({ pattern: '^https?://', expected: 'an address that begins with http:// or https://' }),
    ),
    scope: Type.String({ minLength: 1, expected: 'a scope, such as GIGACHAT_API_PERS' }),
  },
  { additionalProperties: false },
);

/** The name of a variable of the proxy. */
export const variableName = Type.String({
  pattern: '^[A-Z][A-Z0-9_]*$',
  expected: 'the name of a variable, such as OPENAI_API_KEY',
});

/** For providers whose requests are signed instead of carrying a key: AWS's Signature Version 4. */
export const awsSchema = Type.Object(
  {
    region: Type.String({ pattern: '^[a-z0-9-]{1,64}$', expected: 'a region, such as eu-central-1' }),
    accessKeyIdEnv: variableName,
    secretAccessKeyEnv: variableName,
    /** For temporary credentials. */
    sessionTokenEnv: Type.Optional(variableName),
  },
  { additionalProperties: false },
);

const providerSchema = Type.Object({
  id: Type.String(),
  /** Absent where customers are not told of it. */
  publicName: Type.Optional(Type.String()),
  protocol: Type.Union(protocols.map((protocol) => Type.Literal(protocol))),
  baseUrl: Type.String(),
  /** The name of the proxy's variable that holds the provider's key; empty if the provider needs none. */
  apiKeyEnv: Type.String(),
  auth: Type.Optional(authSchema),
  aws: Type.Optional(Type.Object(awsSchema.properties)),
  /** A PEM file on the proxy's host, with the root certificates to trust instead of the default ones. */
  caFile: Type.Optional(Type.String()),
  /** A newer version may have published a protocol that this version does not know. */
  quirks: Type.Object(quirksSchema.properties),
  timeouts: Type.Optional(timeoutsSchema),
});

/** `promptPico`: the member with the price of the prompt. */
export type PublishedPrice<Price extends TokenPrice = TokenPrice> = `${Price}Pico`;

/** Where the publishing version does not know a unit yet, its price is that of the whole. */
type PriceSchemas = {
  [Name in PublishedPrice]: Name extends PublishedPrice<StoredTokenPrice> ? TString : TOptional<TString>;
};

function priceSchemas(): PriceSchemas {
  const schemas = tokenUnits.map(({ price, storesPrice }) => {
    const name: PublishedPrice = `${price}Pico`;
    return [name, storesPrice === 'always' ? picoUsd : Type.Optional(picoUsd)] as const;
  });
  // TypeScript does not derive the names of members that are computed.
  return Object.fromEntries(schemas) as PriceSchemas;
}

/** Of what is counted one by one. A model that has one is published with its name behind the kind: `chat+request`. */
function eachPriceSchemas(): { [Name in `${EachPrice}Pico`]: TOptional<TString> } {
  const schemas = eachUnits.map(({ price }) => [`${price}Pico`, Type.Optional(picoUsd)] as const);
  // TypeScript does not derive the names of members that are computed.
  return Object.fromEntries(schemas) as { [Name in `${EachPrice}Pico`]: TOptional<TString> };
}

/** What a reader has to know to bill a model, beyond its kind. */
const billingFeatures: readonly BillingFeature[] = [
  'rates',
  batchTier,
  ...eachUnits.map(({ price }) => price),
  ...tokenUnits.filter(({ mustBeKnown }) => mustBeKnown).map(({ price }) => price),
];
type BillingFeature = 'rates' | typeof batchTier | EachPrice | TokenPrice;

/** As models have it in the document. */
export function publishedKind(kind: ModelKind, features: readonly BillingFeature[]): string {
  return [kind, ...features].join('+');
}

/** Undefined for a kind or a feature of billing that only a newer version knows. */
function readKind(published: string): ModelKind | undefined {
  const [name, ...features] = published.split('+');
  const kind = modelKinds.find((known) => known === name);
  return features.every((feature) => isOneOf(billingFeatures, feature)) ? kind : undefined;
}

const modelSchema = Type.Object({
  id: Type.String(),
  /** As `publishedKind` writes it. */
  kind: Type.String(),
  ownedBy: Type.String(),
  contextTokens: Type.Integer({ minimum: 1 }),
  maxOutputTokens: Type.Integer({ minimum: 0 }),
  /** Of a model of the kind `embedding`: the most that a vector has. */
  dimensions: Type.Optional(Type.Integer({ minimum: 1 })),
  /** Of a model of the kind `chat`, beside text. A newer version may have published some that this one does not know. */
  inputModalities: Type.Optional(Type.Array(Type.String())),
  /** The day in UTC from which it is no longer served: `2030-06-30`. */
  retiresAt: Type.Optional(Type.String()),
  createdAt: Type.Integer({ minimum: 0 }),
  priceVersion: Type.Integer({ minimum: 1 }),
  ...priceSchemas(),
  ...eachPriceSchemas(),
  /** The catalogue has a price for cache writes of an hour. Without it, requests for them are refused. */
  hasLongCacheWrites: Type.Optional(Type.Boolean()),
  /** Of a model of the kind `image`. */
  imagePrices: Type.Optional(Type.Array(Type.Object({ size: Type.String(), quality: Type.String(), pico: picoUsd }))),
  /** For long prompts and other service tiers. A model that has them is published as `chat+rates`. */
  rates: Type.Optional(
    Type.Array(
      Type.Object({
        tier: Type.Union(serviceTiers.map((tier) => Type.Literal(tier))),
        above: Type.Integer({ minimum: 0 }),
        ...priceSchemas(),
      }),
    ),
  ),
  deployments: Type.Array(
    Type.Object({
      provider: Type.String(),
      model: Type.String(),
      priority: Type.Integer(),
      weight: Type.Integer({ minimum: 1 }),
      onDisconnect: Type.Union(onDisconnectChoices.map((choice) => Type.Literal(choice))),
      tokenRatio: Type.Optional(Type.Union([tokenRatio, Type.Object(tokenRatios.properties)])),
      /** Lines of batches are sent to it as a batch of its provider; otherwise they are sent one by one. */
      batches: Type.Optional(Type.Boolean()),
      /** What is not known is absent; see `DeploymentFacts`. */
      country: Type.Optional(Type.String()),
      retentionDays: Type.Optional(Type.Integer({ minimum: 0 })),
      trains: Type.Optional(Type.Boolean()),
    }),
    { minItems: 1 },
  ),
});

const publishedCatalogueSchema = Type.Object({
  providers: Type.Array(providerSchema),
  models: Type.Array(modelSchema),
  rubRate: Type.Object({
    /** Roubles for a dollar with at most 4 decimals. */
    perUsd: Type.String(),
    /** `2026-11-21`; null for a configured rate. */
    date: Type.Union([Type.String(), Type.Null()]),
    source: Type.Union([Type.Literal('cbr'), Type.Literal('configured')]),
  }),
});

type PublishedPrices = { readonly [Name in PublishedPrice]: string };

/** Those of these prices that a reader has to know. */
export function featuresOfPrices(prices: TokenPrices): readonly TokenPrice[] {
  return partsWithOwnPrice(prices)
    .filter(({ mustBeKnown }) => mustBeKnown)
    .map(({ price }) => price);
}

/** A newer version may ask for a price that an older one has not stored, so all of them are published. */
export function publishedPrices(prices: TokenPrices): PublishedPrices {
  const members = tokenUnits.map(({ price }) => [`${price}Pico`, String(prices[price])]);
  // TypeScript does not derive the names of members that are computed.
  return Object.fromEntries(members) as PublishedPrices;
}

export type PublishedCatalogue = Static<typeof publishedCatalogueSchema>;
export type PublishedModel = Static<typeof modelSchema>;
export type DecodedModel = PublishedModel & { readonly kind: ModelKind };
export type PublishedProvider = Static<typeof providerSchema>;
export type TokenRatio = string | { readonly [Script in TokenScript]?: string };
export type OAuth = Static<typeof authSchema>;
export type Aws = Static<typeof awsSchema>;
export type Quirks = Static<typeof quirksSchema>;

/** The variables that hold a provider's secrets, by the fields that name them. */
export function keyVariablesOf({ apiKeyEnv, aws }: { apiKeyEnv?: string; aws?: Aws }): [field: string, name: string][] {
  const { accessKeyIdEnv, secretAccessKeyEnv, sessionTokenEnv } = aws ?? {};
  const named = { apiKeyEnv, accessKeyIdEnv, secretAccessKeyEnv, sessionTokenEnv };
  return Object.entries(named).flatMap(([field, name]): [string, string][] => (name ? [[field, name]] : []));
}

const check = TypeCompiler.Compile(publishedCatalogueSchema);

export interface DecodedCatalogue extends PublishedCatalogue {
  readonly models: DecodedModel[];
  /** The names of providers and models that only a newer version can serve. */
  readonly leftOut: readonly string[];
}

/** Throws if the document is not a catalogue; the caller keeps the last good one. */
export function decodeCatalogue(document: string): DecodedCatalogue {
  const leftOut: string[] = [];
  const value = leaveOutUnknown(JSON.parse(document), leftOut);
  if (check.Check(value)) {
    // Those of an unknown kind have been left out.
    const models = value.models.map((model) => ({ ...model, kind: readKind(model.kind) as ModelKind }));
    return { ...value, models, leftOut };
  }
  const first = check.Errors(value).First();
  throw new Error(`the published catalogue is malformed at ${first?.path}: ${first?.message}`);
}

const isList = TypeCompiler.Compile(
  Type.Object({
    providers: Type.Array(Type.Object({ id: Type.String(), protocol: Type.String() })),
    models: Type.Array(
      Type.Object({
        id: Type.String(),
        kind: Type.String(),
        deployments: Type.Array(Type.Object({ provider: Type.String() })),
      }),
    ),
  }),
);

/** Anything but a list of providers and models stays as it is, to be refused later. */
function leaveOutUnknown(document: unknown, leftOut: string[]): unknown {
  if (!isList.Check(document)) return document;
  const [providers, unknownProviders] = partition(document.providers, ({ protocol }) => isOneOf(protocols, protocol));
  const unknownIds = new Set(unknownProviders.map(({ id }) => id));
  const models = document.models.map((model) => {
    const deployments = model.deployments.filter(({ provider }) => !unknownIds.has(provider));
    return deployments.length === model.deployments.length ? model : { ...model, deployments };
  });
  const [known, unknownModels] = partition(
    models,
    ({ kind, deployments }, index) =>
      readKind(kind) !== undefined && (deployments.length > 0 || document.models[index]?.deployments.length === 0),
  );
  leftOut.push(...unknownProviders.map(({ id }) => id), ...unknownModels.map(({ id }) => id));
  return { ...document, providers, models: known };
}

function partition<Item>(items: readonly Item[], isKept: (item: Item, index: number) => boolean): [Item[], Item[]] {
  const kept: Item[] = [];
  const others: Item[] = [];
  items.forEach((item, index) => {
    (isKept(item, index) ? kept : others).push(item);
  });
  return [kept, others];
}

function isOneOf(list: readonly string[], value: string): boolean {
  return list.includes(value);
}
