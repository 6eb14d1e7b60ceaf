/**
 * Where a request may be sent, as its client says it in `models` and `provider`. Both are the gateway's own parameters, with
 * OpenRouter's names; no provider sees them.
 */
import { type Static, Type } from '@sinclair/typebox';
import { invalidParameter } from '../../../shared/http/parameter-errors.ts';
import { type DataPolicy, demandsOf } from '../../../shared/keys/data-policy.ts';
import { type PicoUsdPerToken, parsePricePerMillion } from '../../../shared/money.ts';
import { boolean, modelId, oneOf, optional } from './fields.ts';

const modelsMax = 4;
const namesMax = 50;

const names = (description: string) =>
  optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 64, expected: 'the name of a provider' }), {
      maxItems: namesMax,
      description,
      expected: `an array of up to ${namesMax} names of providers`,
    }),
  );

const countryCode = Type.String({ pattern: '^[A-Za-z]{2}$', expected: 'the ISO 3166-1 code of a country, such as DE' });

const pricePattern = '^\\d{1,9}(\\.\\d{1,6})?$';
const price = (description: string) =>
  optional(
    Type.Union([Type.Number({ minimum: 0 }), Type.String({ pattern: pricePattern })], {
      description,
      expected: 'USD per million tokens, with at most 6 decimals',
    }),
  );

/** `provider` in a request. */
const providerPreferences = Type.Object(
  {
    order: names(
      'The names of providers to try first, in this order. The others follow, unless `allow_fallbacks` is false.',
    ),
    only: names('The names of providers that may be used.'),
    ignore: names('The names of providers that must not be used.'),
    allow_fallbacks: optional(
      boolean(
        'Whether another provider is tried when the first one fails before its first byte. Default true. With `order`, ' +
          'false allows all providers in it and no other.',
      ),
    ),
    sort: optional(
      oneOf(
        ['price', 'latency', 'throughput'],
        'What to try first: the provider that begins its streamed responses soonest (`latency`), or that generates most tokens ' +
          'a second (`throughput`), as measured by the gateway. All providers of a model have one price, so `price` changes nothing.',
      ),
    ),
    max_price: Type.Optional(
      Type.Object(
        {
          prompt: price('USD per million prompt tokens.'),
          completion: price('USD per million completion tokens.'),
        },
        {
          additionalProperties: false,
          description: 'The highest prices to pay. A model of `models` that costs more is not asked.',
          expected: 'an object with prompt and completion',
        },
      ),
    ),
    data_collection: optional(
      oneOf(['allow', 'deny'], '`deny` demands providers that do not train on requests. Default `allow`.'),
    ),
    zdr: optional(boolean('Whether to demand providers that store no requests (zero data retention). Default false.')),
    country: optional(
      Type.Union([countryCode, Type.Array(countryCode, { minItems: 1, maxItems: namesMax })], {
        description:
          'Demands a provider whose servers are in this country, or in one of these, as ISO 3166-1 codes such as `DE`.',
        expected: 'the ISO 3166-1 code of a country, such as DE, or an array of them',
      }),
    ),
  },
  {
    additionalProperties: false,
    description:
      'Which providers may serve the request, and which first. `GET /v1/models` lists their names and what is known of them; what ' +
      'is not known meets no demand. If none is left, the request is refused with 404 `no_deployment_fits`.',
    expected: 'an object',
  },
);

export const routingParameters = {
  models: optional(
    Type.Array(modelId('The id of a model.'), {
      minItems: 1,
      maxItems: modelsMax,
      description:
        'Models to try in this order, after `model`: when one has no healthy provider, refuses the length of the request, or fails ' +
        'before its first byte. `model` of the response names the one that responded, which is charged. The hold is for the ' +
        'dearest. `model` may be left out.',
      expected: `an array of 1 to ${modelsMax} ids of models`,
    }),
  ),
  // Not nullable: the error of a union could not name the member at fault.
  provider: Type.Optional(providerPreferences),
};

export type ProviderPreferences = Static<typeof providerPreferences>;

/** What to try first. */
export interface Preferences {
  /** Names of providers. */
  readonly order: readonly string[];
  readonly sort: 'latency' | 'throughput' | undefined;
  readonly allowsFallbacks: boolean;
}

export interface MaxPrice {
  readonly prompt: PicoUsdPerToken | undefined;
  readonly completion: PicoUsdPerToken | undefined;
}

export interface Routing {
  /** The ids of the models to try, without repetitions; `model` first. */
  readonly models: readonly string[];
  readonly policy: DataPolicy;
  readonly preferences: Preferences;
  readonly maxPrice: MaxPrice;
}

interface RoutedBody {
  readonly models?: readonly string[] | null;
  readonly provider?: ProviderPreferences;
}

export function isRoutingParameter(name: string): boolean {
  return Object.hasOwn(routingParameters, name);
}

/**
 * Undefined if the request says nothing of it. `body` has been checked by the schema of its endpoint. Throws GatewayError
 * `invalid_parameter`.
 */
export function readRouting(body: object, model: string): Routing | undefined {
  const { models, provider } = body as RoutedBody;
  if ((models ?? null) === null && provider === undefined) return undefined;
  const { order, sort, allow_fallbacks: allowsFallbacks, max_price: maxPrice } = provider ?? {};
  const ordered = lowerCase(order);
  return {
    models: [...new Set([model, ...(models ?? [])])],
    policy: policyOf(provider ?? {}),
    preferences: {
      order: ordered,
      sort: sort === 'latency' || sort === 'throughput' ? sort : undefined,
      allowsFallbacks: allowsFallbacks ?? true,
    },
    maxPrice: { prompt: priceOf(maxPrice?.prompt, 'prompt'), completion: priceOf(maxPrice?.completion, 'completion') },
  };
}

function policyOf(provider: ProviderPreferences): DataPolicy {
  const { data_collection: dataCollection, zdr, country, only, ignore } = provider;
  return demandsOf({
    dataCollection: dataCollection ?? 'allow',
    zdr: zdr ?? false,
    countries: (Array.isArray(country) ? country : [country ?? []].flat()).map((code) => code.toUpperCase()),
    only: lowerCase(only),
    ignore: lowerCase(ignore),
  });
}

function lowerCase(list: readonly string[] | null | undefined): string[] {
  return (list ?? []).map((name) => name.toLowerCase());
}

/** A number is read as its shortest decimal, which is what the client wrote. */
function priceOf(value: number | string | null | undefined, name: string): PicoUsdPerToken | undefined {
  if (value === undefined || value === null) return undefined;
  const text = String(value);
  if (new RegExp(pricePattern).test(text)) return parsePricePerMillion(text);
  throw invalidParameter(`provider.max_price.${name}`, 'USD per million tokens, with at most 6 decimals');
}

/** A request may name only `models`: the first of them is its model then. */
export function namingModel<Rest extends unknown[], Result>(
  read: (value: object, ...rest: Rest) => Result,
): (value: object, ...rest: Rest) => Result {
  return (value, ...rest) => read(withModel(value), ...rest);
}

/** The parameter that names the first model. */
export function parameterOfModel(value: object): 'model' | 'models' {
  return (value as { model?: unknown }).model === undefined ? 'models' : 'model';
}

export function withModel(value: object): object {
  const { model, models } = value as { model?: unknown; models?: unknown };
  return model === undefined && Array.isArray(models) ? { ...value, model: models[0] } : value;
}
