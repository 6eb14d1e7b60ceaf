/**
 * What a request is billed for: the one table from which tables, sums, charges, prices, receipts and their documentation
 * derive. A row is a contract with every version, so its names and its place in the charge's detail never change. How to
 * add one is in docs/contributing.md.
 */

interface CountedRow {
  /** Of `usage_events` and `usage_totals`. */
  readonly column: string;
  /** The unit in whose count this one is included. */
  readonly partOf: string | undefined;
  /** Its place in the list that is a charge's detail (charge-detail.ts). */
  readonly detailAt: number;
  /** What it is called on the command line. */
  readonly label: string;
  /** What /api says about the count. */
  readonly countMeans: string;
  /** Whether a count of 0 is stored as 0 or as null, which takes no space in a row. */
  readonly storesCount: 'always' | 'ifAny';
}

/** With one price in a model. Without a price of its own, a part costs what its whole does. */
interface TokenRow extends CountedRow {
  readonly unit: 'token';
  /** The name of its price in the catalogue file and in /api. */
  readonly price: string;
  /** The name of its price in GET /v1/models, and in the columns `provider_…_pico` and `…_pico` of `model_prices`. */
  readonly priceColumn: string;
  /** Whether a price that is missing in the catalogue file is stored as the price that it follows from, or as null. */
  readonly storesPrice: 'always' | 'ifGiven';
  /** Whether a proxy that does not know the price leaves the model out: it is higher than that of the whole. */
  readonly mustBeKnown: boolean;
  /** What /api says about the price. */
  readonly priceMeans: string;
  /** What GET /v1/models says that it is the price of. */
  readonly priceOf: string;
}

/** Of which each has one price. A model may have none; then it is free and not counted. */
interface EachRow extends CountedRow {
  readonly unit: 'each';
  /** The name of its price in the catalogue file and in /api. */
  readonly price: string;
  /** The name of its price under /v1, and in the columns `provider_…_pico` and `…_pico` of `model_prices`. */
  readonly priceColumn: string;
  /** What /api says about the price. */
  readonly priceMeans: string;
  /** For how many of it people see a price: a character costs too little to compare. */
  readonly shownPer: number;
  /** In the description of a charge, one of it and several; undefined if it is charged in addition to what is described. */
  readonly noun: Noun | undefined;
}

/** With a price for each size and quality (image-prices.ts). */
interface ImageRow extends CountedRow {
  readonly unit: 'image';
  readonly noun: Noun;
}

type Noun = readonly [one: string, several: string];

export const billableUnits = {
  promptTokens: {
    column: 'prompt_tokens',
    partOf: undefined,
    unit: 'token',
    price: 'prompt',
    priceColumn: 'prompt',
    storesPrice: 'always',
    mustBeKnown: false,
    detailAt: 3,
    label: 'prompt',
    countMeans: 'Prompt tokens, including those read from or written to a cache.',
    storesCount: 'always',
    priceMeans: 'The price of prompt tokens neither read from nor written to a cache.',
    priceOf: 'the prompt',
  },
  cachedPromptTokens: {
    column: 'cached_prompt_tokens',
    partOf: 'promptTokens',
    unit: 'token',
    price: 'cachedPrompt',
    priceColumn: 'cached_prompt',
    storesPrice: 'always',
    mustBeKnown: false,
    detailAt: 4,
    label: 'cached prompt',
    countMeans: "Prompt tokens read from the provider's cache.",
    storesCount: 'always',
    priceMeans: 'The price of prompt tokens read from a cache.',
    priceOf: "the prompt that was read from the provider's cache",
  },
  cacheWriteTokens: {
    column: 'cache_write_tokens',
    partOf: 'promptTokens',
    unit: 'token',
    price: 'cacheWrite',
    priceColumn: 'cache_write',
    storesPrice: 'ifGiven',
    mustBeKnown: false,
    detailAt: 5,
    label: 'cache write',
    countMeans: "Prompt tokens written to the provider's cache.",
    storesCount: 'always',
    priceMeans: 'The price of prompt tokens written to a cache.',
    priceOf: "the prompt that was written to the provider's cache",
  },
  cacheWrite1hTokens: {
    column: 'cache_write_1h_tokens',
    partOf: 'cacheWriteTokens',
    unit: 'token',
    price: 'cacheWrite1h',
    priceColumn: 'cache_write_1h',
    storesPrice: 'ifGiven',
    mustBeKnown: false,
    detailAt: 13,
    label: '1 h cache write',
    countMeans: "Prompt tokens written to the provider's cache for an hour.",
    storesCount: 'ifAny',
    priceMeans: 'The price of prompt tokens written to a cache for an hour.',
    priceOf: "the prompt that was written to the provider's cache for an hour",
  },
  audioPromptTokens: {
    column: 'audio_prompt_tokens',
    partOf: 'promptTokens',
    unit: 'token',
    price: 'audioPrompt',
    priceColumn: 'audio_prompt',
    storesPrice: 'ifGiven',
    mustBeKnown: true,
    detailAt: 18,
    label: 'audio prompt',
    countMeans: 'Prompt tokens of audio.',
    storesCount: 'ifAny',
    priceMeans: 'The price of prompt tokens of audio.',
    priceOf: 'audio in the prompt',
  },
  imagePromptTokens: {
    column: 'image_prompt_tokens',
    partOf: 'promptTokens',
    unit: 'token',
    price: 'imagePrompt',
    priceColumn: 'image_prompt',
    storesPrice: 'ifGiven',
    mustBeKnown: true,
    detailAt: 19,
    label: 'image prompt',
    countMeans: 'Prompt tokens of images that others were made from.',
    storesCount: 'ifAny',
    priceMeans: 'The price of prompt tokens of images that others are made from.',
    priceOf: 'images that others are made from',
  },
  completionTokens: {
    column: 'completion_tokens',
    partOf: undefined,
    unit: 'token',
    price: 'completion',
    priceColumn: 'completion',
    storesPrice: 'always',
    mustBeKnown: false,
    detailAt: 6,
    label: 'completion',
    countMeans: 'Completion tokens, including reasoning.',
    storesCount: 'always',
    priceMeans: 'The price of completion tokens other than reasoning.',
    priceOf: 'the output',
  },
  reasoningTokens: {
    column: 'reasoning_tokens',
    partOf: 'completionTokens',
    unit: 'token',
    price: 'reasoning',
    priceColumn: 'reasoning',
    storesPrice: 'ifGiven',
    mustBeKnown: false,
    detailAt: 7,
    label: 'reasoning',
    countMeans: 'Completion tokens that the model spent on reasoning.',
    storesCount: 'always',
    priceMeans: 'The price of reasoning tokens.',
    priceOf: 'thoughts',
  },
  audioCompletionTokens: {
    column: 'audio_completion_tokens',
    partOf: 'completionTokens',
    unit: 'token',
    price: 'audioCompletion',
    priceColumn: 'audio_completion',
    storesPrice: 'ifGiven',
    mustBeKnown: true,
    detailAt: 20,
    label: 'audio completion',
    countMeans: 'Completion tokens of audio.',
    storesCount: 'ifAny',
    priceMeans: 'The price of completion tokens of audio.',
    priceOf: 'audio in the output',
  },
  images: {
    column: 'images',
    partOf: undefined,
    unit: 'image',
    detailAt: 10,
    label: 'images',
    noun: ['image', 'images'],
    countMeans: 'The number of generated images.',
    storesCount: 'always',
  },
  pricedRequests: {
    column: 'priced_requests',
    partOf: undefined,
    unit: 'each',
    price: 'request',
    priceColumn: 'request',
    detailAt: 14,
    label: 'request',
    countMeans: 'Requests that cost a price per request, in addition to their tokens and images.',
    storesCount: 'ifAny',
    priceMeans: 'The price of a request, in addition to its tokens and images.',
    shownPer: 1,
    noun: undefined,
  },
  characters: {
    column: 'characters',
    partOf: undefined,
    unit: 'each',
    price: 'character',
    priceColumn: 'character',
    detailAt: 15,
    label: 'characters',
    countMeans: 'Characters of text that were spoken, if the model has a price for them.',
    storesCount: 'ifAny',
    priceMeans: 'The price of a character of text that is spoken.',
    shownPer: 1_000_000,
    noun: ['character', 'characters'],
  },
  audioSeconds: {
    column: 'audio_seconds',
    partOf: undefined,
    unit: 'each',
    price: 'second',
    priceColumn: 'second',
    detailAt: 16,
    label: 'seconds of audio',
    countMeans: 'Seconds of audio that were transcribed, if the model has a price for them.',
    storesCount: 'ifAny',
    priceMeans: 'The price of a second of audio that is transcribed.',
    shownPer: 60,
    noun: ['second of audio', 'seconds of audio'],
  },
  searches: {
    column: 'searches',
    partOf: undefined,
    unit: 'each',
    price: 'search',
    priceColumn: 'search',
    detailAt: 17,
    label: 'searches',
    countMeans: 'Searches, each of up to 100 documents that were ranked, if the model has a price for them.',
    storesCount: 'ifAny',
    priceMeans: 'The price of a search: of ranking up to 100 documents.',
    shownPer: 1_000,
    noun: ['search', 'searches'],
  },
  webSearches: {
    column: 'web_searches',
    partOf: undefined,
    unit: 'each',
    price: 'webSearch',
    priceColumn: 'web_search',
    detailAt: 22,
    label: 'web searches',
    countMeans: 'Searches of the web that the provider ran for the model, if the model has a price for them.',
    storesCount: 'ifAny',
    priceMeans: 'The price of a search of the web that the provider runs for the model, in addition to its tokens.',
    shownPer: 1_000,
    noun: undefined,
  },
} as const satisfies Readonly<Record<string, TokenRow | ImageRow | EachRow>>;

type Table = typeof billableUnits;

/** `promptTokens`: the name of a count. */
export type BillableUnit = keyof Table;
type UnitWith<Feature> = { [Name in BillableUnit]: Table[Name] extends Feature ? Name : never }[BillableUnit];
export type TokenUnit = UnitWith<{ readonly unit: 'token' }>;
/** `prompt`: the name of a price per token. */
export type TokenPrice = Table[TokenUnit]['price'];
export type EachUnit = UnitWith<{ readonly unit: 'each' }>;
/** `request`: the name of a price of something that has one price. */
export type EachPrice = Table[EachUnit]['price'];
/** `web_search`: the name of such a price under /v1. */
export type EachPriceColumn = Table[EachUnit]['priceColumn'];
/** Those of units that are part of another one. */
export type PartUnit = UnitWith<{ readonly unit: 'token'; readonly partOf: string }>;
export type PriceColumnName<Name extends TokenUnit> = Table[Name]['priceColumn'];
export type StoredTokenPrice = Table[UnitWith<{ readonly unit: 'token'; readonly storesPrice: 'always' }>]['price'];

/** How much of everything: parts are included in what they are part of. */
export type UnitCounts = { readonly [Name in BillableUnit]: number };

export type Unit = Named<BillableUnit>;
export type UnitOfTokens = Named<TokenUnit>;
export type UnitOfEach = Named<EachUnit>;
type Named<Name extends BillableUnit> = { readonly [Each in Name]: { readonly name: Each } & Table[Each] }[Name];

/** The rows with their names, in the order in which they are shown. */
export const units: readonly Unit[] = unitNames().map(
  // TypeScript does not correlate a name with its own row.
  (name) => ({ name, ...billableUnits[name] }) as Unit,
);

export const tokenUnits = units.filter((unit): unit is UnitOfTokens => unit.unit === 'token');

/** In files that have a column for each unit, later ones are at the end: some read a column by its place. */
export function isLater({ storesCount }: Unit): boolean {
  return storesCount === 'ifAny';
}

export const eachUnits = units.filter((unit): unit is UnitOfEach => unit.unit === 'each');

export type UnitInstead = UnitWith<{ readonly noun: Noun }>;

/** Those that are charged instead of tokens. A request has one of them at most. */
export const unitsInstead = units.filter(
  (unit): unit is Named<UnitInstead> => 'noun' in unit && unit.noun !== undefined,
);

/** An object with a member for each of them. */
export function perUnitInstead<Value>(
  read: (unit: (typeof unitsInstead)[number]) => Value,
): Record<UnitInstead, Value> {
  return Object.fromEntries(unitsInstead.map((unit) => [unit.name, read(unit)])) as Record<UnitInstead, Value>;
}

export const noUnits: UnitCounts = perUnit(() => 0);

/** An object with a member for each unit. TypeScript does not derive the names of members that are computed. */
export function perUnit<Value>(read: (unit: Unit) => Value): Record<BillableUnit, Value> {
  return Object.fromEntries(units.map((unit) => [unit.name, read(unit)])) as Record<BillableUnit, Value>;
}

/** An object with a member for each price per token. */
export function perTokenPrice<Value>(read: (unit: UnitOfTokens) => Value): Record<TokenPrice, Value> {
  return Object.fromEntries(tokenUnits.map((unit) => [unit.price, read(unit)])) as Record<TokenPrice, Value>;
}

/** As rows have them. */
export type StoredCounts = {
  readonly [Name in BillableUnit]: Name extends UnitWith<{ readonly storesCount: 'always' }> ? number : number | null;
};

/** The counts alone, of anything that has them; null is 0. */
export function countsOf(counts: Readonly<Record<BillableUnit, number | null>>): Record<BillableUnit, number> {
  return perUnit(({ name }) => counts[name] ?? 0);
}

/** How a count is stored. */
export function storedCount({ storesCount }: Unit, count: number): number | null {
  return count === 0 && storesCount === 'ifAny' ? null : count;
}

/** What is counted in this unit and in none of its parts. */
export function countWithoutParts(counts: UnitCounts, name: BillableUnit): number {
  let count = counts[name];
  for (const part of partsOf[name]) count -= counts[part];
  return count;
}

const partsOf = perUnit((whole) => units.filter(({ partOf }) => partOf === whole.name).map(({ name }) => name));

/** What limits of tokens count. */
export function tokensOf(counts: UnitCounts): number {
  let sum = 0;
  for (const { name, partOf } of tokenUnits) if (partOf === undefined) sum += counts[name];
  return sum;
}

/** The price that applies where a unit has none of its own. */
export function wholePriceOf(unit: UnitOfTokens): TokenPrice | undefined {
  return wholeOf(unit)?.price;
}

/** Whether the unit costs what the one does that it is part of. */
export function followsWhole<Price>(unit: UnitOfTokens, prices: Readonly<Record<TokenPrice, Price>>): boolean {
  const whole = wholePriceOf(unit);
  return whole !== undefined && prices[unit.price] === prices[whole];
}

/** The units that cost something else at a rate than usual, and do not merely follow another price. */
export function changedUnits<Price>(
  rate: Readonly<Record<TokenPrice, Price>>,
  usual: Readonly<Record<TokenPrice, Price>>,
): UnitOfTokens[] {
  return tokenUnits.filter(
    (unit) => rate[unit.price] !== usual[unit.price] && !(followsWhole(unit, rate) && followsWhole(unit, usual)),
  );
}

/** What this unit is a part of. */
export function wholeOf({ partOf }: UnitOfTokens): UnitOfTokens | undefined {
  return partOf === undefined ? undefined : tokenUnits.find(({ name }) => name === partOf);
}

function unitNames(): readonly BillableUnit[] {
  return Object.keys(billableUnits) as BillableUnit[];
}
