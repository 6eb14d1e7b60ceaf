/** Reads a catalogue file, and reports all of its errors together. */
import { TypeCompiler, type ValueError, ValueErrorType } from '@sinclair/typebox/compiler';
import { type KindOfModel, kinds, type ModelKind, modelKinds } from '../../shared/catalogue/model-kinds.ts';
import {
  keyVariablesOf,
  type Protocol,
  servedKinds,
  servesPrice,
  servesWebSearches,
} from '../../shared/catalogue/published-catalogue.ts';
import { type ListedKeys, refuseKeyName } from '../../shared/config/provider-keys.ts';
import { parseMarkup, parsePriceEach, parsePricePerMillion, withMarkup } from '../../shared/money.ts';
import { type EachPrice, eachUnits } from '../../shared/usage/billable-units.ts';
import { formatVariant } from '../../shared/usage/image-prices.ts';
import { type CatalogueFile, type CatalogueFileModel, catalogueFileSchema, defaultMarkup } from './catalogue-file.ts';
import { findBadBatches } from './file-batches.ts';
import { findBadRates, mayHaveSteps, namedTokenPrices } from './file-rates.ts';
import { parseYaml } from './parse-yaml.ts';

export type CatalogueReading =
  | { readonly ok: true; readonly file: CatalogueFile }
  | { readonly ok: false; readonly problems: readonly string[] };

/** Of a bigint in Postgres, in pico-USD. */
const maxPico = 2n ** 63n - 1n;

const check = TypeCompiler.Compile(catalogueFileSchema);

/** `listedKeys` are what `apiKeyEnv` may name beside variables that end in `_API_KEY`. */
export function readCatalogueFile(yaml: string, listedKeys: ListedKeys = new Set()): CatalogueReading {
  const parsed = parseYaml(yaml);
  if (!parsed.ok) return parsed;
  const { value } = parsed;
  if (!check.Check(value)) return { ok: false, problems: describeErrors([...check.Errors(value)]) };
  const problems = [
    ...findDuplicates(value),
    ...findBrokenReferences(value),
    ...findBadModels(value),
    ...findUnservedModels(value),
    ...findRatesThatFail(value),
    ...findEnormousPrices(value),
    ...findBadBatches(value),
    ...findBadAddresses(value),
    ...findKeylessTokens(value),
    ...findMisplacedSignatures(value),
    ...findForeignKeys(value, listedKeys),
  ];
  return problems.length === 0 ? { ok: true, file: value } : { ok: false, problems };
}

/** The first error of each place: a wrong type causes several. */
function describeErrors(errors: readonly ValueError[]): string[] {
  const byPlace = new Map<string, string>();
  for (const error of errors) {
    const place = placeOf(error.path);
    if (byPlace.has(place)) continue;
    if (error.type === ValueErrorType.ObjectRequiredProperty) byPlace.set(place, `${place} is missing`);
    else if (error.type === ValueErrorType.ObjectAdditionalProperties)
      byPlace.set(place, `${place} is not a known field`);
    else byPlace.set(place, `${place}: expected ${error.schema.expected ?? error.message}`);
  }
  return [...byPlace.values()];
}

/** `/models/0/price/prompt` → `models[0].price.prompt` */
function placeOf(path: string): string {
  return (
    path
      .slice(1)
      .replaceAll(/\/(\d+)/g, '[$1]')
      .replaceAll('/', '.') || 'the file'
  );
}

function findDuplicates(file: CatalogueFile): string[] {
  const repeated = (ids: readonly string[]) => new Set(ids.filter((id, index) => ids.indexOf(id) !== index));
  return [
    ...[...repeated(file.providers.map(({ id }) => id))].map((id) => `provider ${id} is defined more than once`),
    ...[...repeated(file.models.map(({ id }) => id))].map((id) => `model ${id} is defined more than once`),
  ];
}

function findBrokenReferences(file: CatalogueFile): string[] {
  const providers = new Set(file.providers.map(({ id }) => id));
  return file.models.flatMap((model) =>
    model.deployments
      .filter((deployment) => !providers.has(deployment.provider))
      .map((deployment) => `model ${model.id}: there is no provider ${deployment.provider}`),
  );
}

function findKeylessTokens(file: CatalogueFile): string[] {
  return file.providers
    .filter(({ auth, apiKeyEnv }) => auth !== undefined && apiKeyEnv === undefined)
    .map(({ id }) => `provider ${id}: auth needs apiKeyEnv, the key that is exchanged for the token`);
}

/** A request is either signed or carries a key; both use the same header. */
function findMisplacedSignatures(file: CatalogueFile): string[] {
  return file.providers.flatMap(({ id, protocol, apiKeyEnv, auth, aws }) => {
    if (aws === undefined) return [];
    if (protocol !== 'bedrock') return [`provider ${id}: aws is for the protocol bedrock only`];
    if (apiKeyEnv === undefined && auth === undefined) return [];
    return [`provider ${id}: aws excludes apiKeyEnv and auth; a request is signed, or carries a key`];
  });
}

/** A catalogue says where a key is sent, so it must not name any other secret. */
function findForeignKeys(file: CatalogueFile, listedKeys: ListedKeys): string[] {
  return file.providers.flatMap((provider) =>
    keyVariablesOf(provider).flatMap(([field, variable]) => {
      const refusal = refuseKeyName(variable, listedKeys);
      return refusal === undefined ? [] : [`provider ${provider.id}: ${field} ${variable} ${refusal}`];
    }),
  );
}

function findBadModels(file: CatalogueFile): string[] {
  return file.models.flatMap((model) => [
    ...missingOf(model).map((member) => `model ${model.id}: ${member} is missing`),
    ...findMisplacedPrices(model),
    ...findUnusedDimensions(model),
    ...findBadModalities(model),
    ...findBadRetirement(model),
  ]);
}

/** What a model of its kind must have. */
function missingOf({ kind, maxOutputTokens, price }: CatalogueFileModel): string[] {
  if (kind === 'image') return price.images === undefined ? ['price.images'] : [];
  const { hasOutputTokens, paidBy }: KindOfModel = kinds[kind];
  if (paidBy !== undefined && price[paidBy] !== undefined) return [];
  const ofPrompt = price.prompt === undefined ? ['price.prompt'] : [];
  if (!hasOutputTokens) return ofPrompt;
  return [
    ...(maxOutputTokens === undefined ? ['maxOutputTokens'] : []),
    ...ofPrompt,
    ...(price.completion === undefined ? [`price.${paidBy ?? 'completion'}`] : []),
  ];
}

/** A price that is never charged. */
function findMisplacedPrices(model: CatalogueFileModel): string[] {
  const { id, kind, price } = model;
  const ofOthers = [...kindOfPrice]
    .filter(([name, kindOfName]) => price[name] !== undefined && kind !== kindOfName)
    .map(([name, kindOfName]) => `model ${id}: price.${name} is for models of the kind ${kindOfName}, not ${kind}`);
  return [...ofOthers, ...findRepeatedImages(model), ...findUnchargedTokens(model)];
}

/** Prices that only one kind of model has. */
const kindOfPrice: ReadonlyMap<'images' | EachPrice, ModelKind> = new Map([
  ['images', 'image'],
  ...modelKinds.flatMap((kind): [EachPrice, ModelKind][] => {
    const { paidBy, alsoPaidBy = [] }: KindOfModel = kinds[kind];
    return [...(paidBy === undefined ? [] : [paidBy]), ...alsoPaidBy].map((name) => [name, kind]);
  }),
]);

/** One for each size and quality. */
function findRepeatedImages({ id, price: { images = [] } }: CatalogueFileModel): string[] {
  const variants = images.map(formatVariant);
  const repeated = new Set(variants.filter((variant, index) => variants.indexOf(variant) !== index));
  return [...repeated].map((variant) => `model ${id}: price.images has ${variant} more than once`);
}

/** What has a unit of its own, such as audio, is paid either by it or by tokens; images by their own price and their prompt. */
function findUnchargedTokens({ id, kind, price }: CatalogueFileModel): string[] {
  const { tokenPrices, paidBy }: KindOfModel = kinds[kind];
  const isPaidByUnit = paidBy !== undefined && price[paidBy] !== undefined;
  const charged = isPaidByUnit ? [] : tokenPrices;
  if (charged === undefined) return [];
  const what = kind === 'image' ? 'images' : kind;
  const instead = isPaidByUnit ? ` that has price.${paidBy}` : '';
  return namedTokenPrices(price)
    .filter(({ place, name }) => !charged.includes(name) && (place === 'price' || mayHaveSteps(kind)))
    .map(({ place, name }) => `model ${id}: ${place}.${name} is not charged for ${what}${instead}`);
}

function findUnusedDimensions({ id, kind, dimensions }: CatalogueFileModel): string[] {
  if (dimensions === undefined || kind === 'embedding') return [];
  return [`model ${id}: dimensions is for models of the kind embedding, not ${kind}`];
}

function findBadModalities({ id, kind, inputModalities }: CatalogueFileModel): string[] {
  if (inputModalities === undefined) return [];
  if (kind !== 'chat') return [`model ${id}: inputModalities is for models of the kind chat, not ${kind}`];
  return [
    ...(inputModalities.includes('text') ? [] : [`model ${id}: inputModalities has to include text`]),
    ...(new Set(inputModalities).size < inputModalities.length
      ? [`model ${id}: inputModalities names one more than once`]
      : []),
  ];
}

function findBadRetirement({ id, retiresAt }: CatalogueFileModel): string[] {
  if (retiresAt === undefined || isDay(retiresAt)) return [];
  return [`model ${id}: retiresAt ${retiresAt} is not a day`];
}

/** A day that no month has would become one of the next month. */
function isDay(text: string): boolean {
  const at = Date.parse(text);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text);
}

function findUnservedModels({ providers, models }: CatalogueFile): string[] {
  const protocols = new Map(providers.map(({ id, protocol }) => [id, protocol]));
  return models.flatMap(({ id, kind, deployments }) =>
    deployments.flatMap(({ provider }) => {
      const protocol = protocols.get(provider);
      if (protocol === undefined || servedKinds[protocol].includes(kind)) return [];
      return [`model ${id}: ${provider} speaks ${protocol}, which serves no models of the kind ${kind}`];
    }),
  );
}

function findRatesThatFail({ providers, models }: CatalogueFile): string[] {
  const protocols = new Map(providers.map(({ id, protocol }) => [id, protocol]));
  return models.flatMap((model) => [...findBadRates(model, protocols), ...findUnservedPrices(model, protocols)]);
}

/** Prices of what cannot be asked for over the protocol of a provider. */
function findUnservedPrices(
  { id, price, deployments }: CatalogueFileModel,
  protocols: ReadonlyMap<string, Protocol>,
): string[] {
  const ofTokens = namedTokenPrices(price).flatMap(({ place, name }) =>
    deployments.flatMap(({ provider }) => {
      const protocol = protocols.get(provider);
      if (protocol === undefined || servesPrice[name]?.(protocol) !== false) return [];
      return [`model ${id}: ${place}.${name} is not for ${provider}, which speaks ${protocol}`];
    }),
  );
  // Requests with searches are sent to those that run them.
  const mayBeSearched = deployments.some(({ provider }) => {
    const protocol = protocols.get(provider);
    return protocol === undefined || servesWebSearches(protocol);
  });
  if (price.webSearch === undefined || mayBeSearched) return ofTokens;
  return [...ofTokens, `model ${id}: price.webSearch needs a deployment whose protocol searches the web`];
}

/** Prices that no column of the ledger holds. */
function findEnormousPrices({ markup: fileMarkup = defaultMarkup, models }: CatalogueFile): string[] {
  return models.flatMap(({ id, price, markup: text = fileMarkup }) => {
    const markup = parseMarkup(text);
    const each: [string, string | undefined][] = [
      ...eachUnits.map(({ price: name }): [string, string | undefined] => [name, price[name]]),
      ...(price.images ?? []).map(({ priceUsd }, index): [string, string] => [`images[${index}].priceUsd`, priceUsd]),
    ];
    const enormous = [
      ...namedTokenPrices(price)
        .filter((named) => withMarkup(parsePricePerMillion(named.text), markup) > maxPico)
        .map(({ place, name }) => `${place}.${name}`),
      ...each
        .filter(([, given]) => given !== undefined && withMarkup(parsePriceEach(given), markup) > maxPico)
        .map(([name]) => `price.${name}`),
    ];
    return enormous.map((place) => `model ${id}: ${place} is too high: with the markup it is 9 million USD or more`);
  });
}

/** Loopback and private addresses are the operator's choice; link-local ones are where clouds keep their secrets. */
function findBadAddresses(file: CatalogueFile): string[] {
  return file.providers.flatMap(({ id, baseUrl, auth }) => [
    ...findBadAddress(`provider ${id}`, 'baseUrl', baseUrl),
    ...(auth?.tokenUrl === undefined ? [] : findBadAddress(`provider ${id}`, 'auth.tokenUrl', auth.tokenUrl)),
  ]);
}

function findBadAddress(provider: string, field: string, address: string): string[] {
  if (!URL.canParse(address)) return [`${provider}: ${field} is not an address`];
  const { hostname } = new URL(address);
  return isLinkLocal(hostname) ? [`${provider}: link-local and metadata addresses are refused`] : [];
}

function isLinkLocal(hostname: string): boolean {
  return (
    hostname.startsWith('169.254.') ||
    /^\[fe[89ab][0-9a-f]:/i.test(hostname) ||
    /^\[::ffff:a9fe:/i.test(hostname) ||
    hostname === '[fd00:ec2::254]' ||
    /^metadata(\.google\.internal)?\.?$/i.test(hostname)
  );
}
