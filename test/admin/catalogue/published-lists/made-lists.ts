/** Made-up catalogues, and price lists in both forms that say the same about them, or something else. */
import fc from 'fast-check';
import type { CatalogueFile, CatalogueFileModel } from '../../../../admin/catalogue/catalogue-file.ts';
import { fileRatesOf, usualPricesOf } from '../../../../admin/catalogue/file-rates.ts';
import type { ListForm } from '../../../../admin/catalogue/published-lists/offer.ts';
import type { InputModality } from '../../../../shared/catalogue/modalities.ts';
import type { ModelKind } from '../../../../shared/catalogue/model-kinds.ts';
import { rawJson } from '../../../../shared/json-source.ts';
import { formatPricePerMillion } from '../../../../shared/money.ts';
import {
  type EachPrice,
  eachUnits,
  isLater,
  type TokenPrice,
  tokenUnits,
} from '../../../../shared/usage/billable-units.ts';
import { formatVariant } from '../../../../shared/usage/image-prices.ts';
import { formatRate } from '../../../../shared/usage/rates.ts';
import type { TokenPrices } from '../../../../shared/usage/token-prices.ts';

/** What a list says about one model, by the fields that a comparison names. Prices are in USD per million tokens, or for one. */
export interface Statement {
  readonly model: string;
  readonly provider: string;
  readonly upstream: string;
  readonly kind: ModelKind;
  readonly prices: ReadonlyMap<string, string>;
  readonly facts: ReadonlyMap<string, string>;
}

const date = '-2030-01-15';
const protocolOf = { openai: 'openai', anthropic: 'anthropic', 'azure-eu': 'openai' } as const;
type ProviderId = keyof typeof protocolOf;

/** Millionths of a dollar for a million tokens, as a catalogue writes them. */
export const perMillion = (millionths: number): string => formatPricePerMillion(BigInt(millionths) as never);

const millionths = fc.integer({ min: 1, max: 99_000_000 });
const nanos = fc.integer({ min: 1, max: 999_999_999 }).map((nano) => decimalOf(BigInt(nano), 9));
const each = (names: readonly EachPrice[]) =>
  fc.record(Object.fromEntries(names.map((name) => [name, nanos])) as Record<(typeof names)[number], typeof nanos>);

function decimalOf(value: bigint, decimals: number): string {
  const digits = value.toString().padStart(decimals + 1, '0');
  const text = `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
  return text.replace(/\.?0+$/, '');
}

type Prices = CatalogueFileModel['price'];

const chatPrices = fc
  .record({
    prices: fc.record({ prompt: millionths, completion: millionths }),
    parts: fc.record(
      {
        ...{ cachedPrompt: millionths, cacheWrite: millionths, reasoning: millionths },
        ...{ audioPrompt: millionths, audioCompletion: millionths },
      },
      { requiredKeys: [] },
    ),
    bounds: fc.uniqueArray(fc.integer({ min: 1, max: 900 }), { maxLength: 2 }),
    raised: fc.integer({ min: 1, max: 5_000_000 }),
    request: fc.option(nanos, { nil: undefined }),
    flex: fc.option(fc.record({ prompt: millionths, completion: millionths }), { nil: undefined }),
  })
  .map(({ prices, parts, bounds, raised, request, flex }) => {
    const above = bounds.toSorted((one, other) => one - other).map((bound) => bound * 1_000);
    const stepsAt = ({ prompt, completion }: { prompt: number; completion: number }) =>
      above.map((bound, index) => ({
        above: bound,
        prompt: perMillion(prompt + raised * (index + 1)),
        completion: perMillion(completion + raised * (index + 1)),
      }));
    const withSteps = (of: { prompt: number; completion: number }) => ({
      ...texts(of),
      ...(above.length > 0 && { steps: stepsAt(of) }),
    });
    return {
      ...withSteps(prices),
      ...texts(parts),
      ...(request !== undefined && { request }),
      ...(flex !== undefined && { tiers: { flex: withSteps(flex) } }),
    } as Prices;
  });

const texts = (prices: Readonly<Record<string, number | undefined>>) =>
  Object.fromEntries(
    Object.entries(prices).flatMap(([name, price]) => (price === undefined ? [] : [[name, perMillion(price)]])),
  );

const images = fc
  .uniqueArray(
    fc.record({
      size: fc.constantFrom('512x512', '1024x1024', '1536x1024'),
      quality: fc.constantFrom('low', 'high', 'default'),
      priceUsd: nanos,
    }),
    { minLength: 1, maxLength: 4, selector: formatVariant },
  )
  .map((rows) => ({ images: rows }) as Prices);

/** What is paid by tokens instead of by the piece. */
const byTokens = (required: readonly TokenPrice[], optional: readonly TokenPrice[] = []) =>
  fc
    .record(Object.fromEntries([...required, ...optional].map((name) => [name, millionths])), {
      requiredKeys: [...required],
    })
    .map((prices) => texts(prices) as Prices);

const priceOf: { readonly [Kind in ModelKind]?: fc.Arbitrary<Prices> } = {
  chat: chatPrices,
  completion: fc.record({ prompt: millionths, completion: millionths }).map((prices) => texts(prices) as Prices),
  embedding: millionths.map((prompt) => ({ prompt: perMillion(prompt) })),
  moderation: millionths.map((prompt) => ({ prompt: perMillion(prompt) })),
  rerank: fc.oneof(
    each(['search']).map(({ search }) => ({ search }) as Prices),
    byTokens(['prompt']),
  ),
  image: fc
    .tuple(images, fc.option(byTokens(['prompt'], ['imagePrompt']), { nil: {} }))
    .map(([rows, tokens]) => ({ ...rows, ...tokens }) as Prices),
  speech: fc.oneof(
    each(['character']).map(({ character }) => ({ character }) as Prices),
    byTokens(['prompt', 'completion']),
  ),
  transcription: fc.oneof(
    each(['second']).map(({ second }) => ({ second }) as Prices),
    byTokens(['prompt', 'completion'], ['audioPrompt']),
  ),
};

function modelOf(index: number, provider: ProviderId): fc.Arbitrary<CatalogueFileModel> {
  const kinds = provider === 'anthropic' ? (['chat'] as const) : (Object.keys(priceOf) as (keyof typeof priceOf)[]);
  return fc.constantFrom(...kinds).chain((kind) =>
    fc
      .record({
        price: priceOf[kind] ?? fc.constant({} as Prices),
        contextTokens: fc.integer({ min: 1_000_000, max: 2_000_000 }),
        maxOutputTokens: fc.integer({ min: 1, max: 100_000 }),
        isDated: fc.boolean(),
        sees: fc.boolean(),
        retiresAt: fc.option(fc.constantFrom('2031-01-31', '2032-02-29'), { nil: undefined }),
        longWrite: fc.option(millionths, { nil: undefined }),
        webSearch: fc.option(nanos, { nil: undefined }),
      })
      .map(
        ({
          price,
          contextTokens,
          maxOutputTokens,
          isDated,
          sees,
          retiresAt,
          longWrite,
          webSearch,
        }): CatalogueFileModel => {
          const { tiers, audioCompletion, ...untiered } = price;
          const isAnthropic = provider === 'anthropic';
          return {
            id: `own/${index}`,
            kind,
            ownedBy: 'maker',
            contextTokens,
            ...((hasOutput(kind) || price.completion !== undefined) && { maxOutputTokens }),
            price: {
              ...untiered,
              ...(tiers !== undefined && !isAnthropic && { tiers }),
              ...(audioCompletion !== undefined && !isAnthropic && { audioCompletion }),
              ...(isAnthropic && longWrite !== undefined && { cacheWrite1h: perMillion(longWrite) }),
              ...(isAnthropic && webSearch !== undefined && { webSearch }),
            },
            ...(kind === 'chat' && sees && { inputModalities: ['text', 'image'] }),
            ...(retiresAt !== undefined && { retiresAt }),
            deployments: [{ provider, model: `Model-${index}.5${isDated ? date : ''}` }],
          };
        },
      ),
  );
}

const hasOutput = (kind: ModelKind) => kind === 'chat' || kind === 'completion';

export const catalogues: fc.Arbitrary<CatalogueFile> = fc
  .array(fc.constantFrom(...(Object.keys(protocolOf) as ProviderId[])), { minLength: 1, maxLength: 5 })
  .chain((providers) => fc.tuple(...providers.map((provider, index) => modelOf(index, provider))))
  .map((models) => ({
    markup: '1.3',
    providers: Object.entries(protocolOf).map(([id, protocol]) => ({
      id,
      protocol,
      baseUrl: 'https://provider.test/v1',
      ...(id === 'azure-eu' && { publicName: 'azure' }),
    })),
    models,
  }));

/** That the list says of each model what the catalogue does. */
export function statementsOf(file: CatalogueFile): Statement[] {
  return file.models.map((model) => {
    const [deployment] = model.deployments;
    const provider = deployment?.provider === 'azure-eu' ? 'azure' : (deployment?.provider ?? '');
    const { contextTokens, maxOutputTokens, inputModalities = ['text'], retiresAt, kind } = model;
    const facts: (readonly [string, string | undefined])[] = [
      ['contextTokens', String(contextTokens)],
      ['maxOutputTokens', maxOutputTokens === undefined ? undefined : String(maxOutputTokens)],
      ['inputModalities', kind === 'chat' ? inputModalities.join(', ') : undefined],
      ['retiresAt', retiresAt],
    ];
    return {
      model: model.id,
      provider,
      // Lists name models in lower case, and mostly without the date of a snapshot.
      upstream: (deployment?.model ?? '').toLowerCase().replace(date, ''),
      kind,
      prices: new Map(pricesOf(model)),
      facts: new Map(facts.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))),
    };
  });
}

/** What models are charged by that are not paid for text alone, if they are paid by tokens. */
const chargedTokens: { readonly [Kind in ModelKind]?: readonly TokenPrice[] } = {
  embedding: ['prompt'],
  moderation: ['prompt'],
  rerank: ['prompt'],
  image: ['prompt', 'imagePrompt'],
  speech: ['prompt', 'completion'],
  transcription: ['prompt', 'audioPrompt', 'completion'],
};

function pricesOf({ kind, price }: CatalogueFileModel): [string, string][] {
  const tokens = fileRatesOf(price).flatMap((rate) => tokenPricesOf(rate.prices, price, `${formatRate(rate)} `));
  const usual = tokenPricesOf(usualPricesOf(price), price, '');
  const ofKind = new Set(chargedTokens[kind] ?? []);
  return [
    ...(hasOutput(kind)
      ? [...usual, ...tokens]
      : usual.filter(([name]) => ofKind.has(name as TokenPrice) && price.prompt)),
    ...eachUnits.flatMap(({ price: name }): [string, string][] => {
      const own = price[name];
      return own === undefined ? [] : [[name, own]];
    }),
    ...(price.images ?? []).map((row): [string, string] => [formatVariant(row), row.priceUsd]),
  ];
}

function tokenPricesOf(prices: TokenPrices, given: Prices, rate: string): [string, string][] {
  const stated = tokenUnits.filter((unit) => !isLater(unit) || given[unit.price] !== undefined);
  return stated.map(({ price: name }) => [`${rate}${name}`, formatPricePerMillion(prices[name])]);
}

/** What a form can say of the statements. */
export function sayable(form: ListForm, { kind }: Statement, field: string): boolean {
  // Of speech, the price of audio in the output is that of all output.
  if (form === 'litellm') return (kind !== 'image' || field !== 'request') && !(kind === 'speech' && isAudioOut(field));
  if (/^(?:flex|priority)|(?:cacheWrite1h|imagePrompt)$/.test(field)) return false;
  return !field.includes('/') && !['character', 'second', 'search'].includes(field);
}

const isAudioOut = (field: string) => field.endsWith('audioCompletion');

/** `notation` chooses how numbers are written. */
export function listTextOf(form: ListForm, statements: readonly Statement[], notation = 0): string {
  const write = (value: string, index: number) => writtenAs(value, notation + index);
  return form === 'openrouter' ? openrouterText(statements, write) : litellmText(statements, write);
}

type Write = (value: string, index: number) => string;

/** USD per token of USD per million: `0.15` → `0.00000015`. */
const perToken = (value: string): string => {
  const [whole = '0', fraction = ''] = value.split('.');
  return decimalOf(BigInt(whole + fraction.padEnd(6, '0')), 12);
};

/** The same number as a decimal, or with an exponent, as programs write it. */
function writtenAs(decimal: string, notation: number): string {
  if (notation % 3 === 0) return decimal;
  const [whole = '0', fraction = ''] = decimal.split('.');
  const digits = BigInt(whole + fraction);
  if (notation % 3 === 1) return `${digits}e-${String(fraction.length).padStart(2, '0')}`;
  const [first = '0', ...rest] = String(digits);
  return `${first}.${rest.join('') || '0'}E${rest.length - fraction.length}`;
}

const openrouterFields: Readonly<Record<string, string>> = {
  prompt: 'prompt',
  completion: 'completion',
  cachedPrompt: 'input_cache_read',
  cacheWrite: 'input_cache_write',
  audioPrompt: 'audio',
  reasoning: 'internal_reasoning',
  audioCompletion: 'audio_output',
};
const openrouterOutput: Readonly<Record<ModelKind, string>> = {
  chat: 'text',
  completion: 'text',
  embedding: 'embeddings',
  image: 'image',
  speech: 'speech',
  transcription: 'transcription',
  moderation: 'moderation',
  rerank: 'rerank',
};

function openrouterText(statements: readonly Statement[], write: Write): string {
  const data = statements.map((statement) => {
    const { provider, upstream, kind, prices, facts } = statement;
    const said = [...prices].filter(([field]) => sayable('openrouter', statement, field));
    const pricesAt = (rate: string) =>
      Object.fromEntries(
        said.flatMap(([field, value], index) => {
          const name = field.startsWith(rate) ? openrouterFields[field.slice(rate.length)] : undefined;
          return name === undefined ? [] : [[name, write(perToken(value), index)]];
        }),
      );
    const bounds = new Set(said.flatMap(([field]) => /^>(\d+) /.exec(field)?.[1] ?? []));
    const [request, webSearch] = [prices.get('request'), prices.get('webSearch')];
    return {
      id: `${provider}/${upstream}`,
      context_length: rawJson(facts.get('contextTokens') ?? '1'),
      architecture: {
        input_modalities: facts.get('inputModalities')?.split(', ') ?? [],
        output_modalities: [openrouterOutput[kind]],
      },
      pricing: {
        ...pricesAt(''),
        ...(request !== undefined && { request }),
        ...(webSearch !== undefined && { web_search: webSearch }),
        ...(bounds.size > 0 && {
          overrides: [...bounds].map((bound) => ({ min_prompt_tokens: rawJson(bound), ...pricesAt(`>${bound} `) })),
        }),
      },
      top_provider: { max_completion_tokens: rawJson(facts.get('maxOutputTokens') ?? 'null') },
      expiration_date: facts.get('retiresAt') ?? null,
    };
  });
  return JSON.stringify({ data });
}

const litellmFields: Readonly<Record<TokenPrice, string>> = {
  prompt: 'input_cost_per_token',
  completion: 'output_cost_per_token',
  cachedPrompt: 'cache_read_input_token_cost',
  cacheWrite: 'cache_creation_input_token_cost',
  cacheWrite1h: 'cache_creation_input_token_cost_above_1hr',
  audioPrompt: 'input_cost_per_audio_token',
  imagePrompt: 'input_cost_per_image_token',
  audioCompletion: 'output_cost_per_audio_token',
  reasoning: 'output_cost_per_reasoning_token',
};
const litellmEach: Readonly<Record<string, string>> = {
  request: 'input_cost_per_request',
  character: 'input_cost_per_character',
  second: 'input_cost_per_second',
  search: 'input_cost_per_query',
};
const litellmMode: Readonly<Record<ModelKind, string>> = {
  chat: 'chat',
  completion: 'completion',
  embedding: 'embedding',
  image: 'image_generation',
  speech: 'audio_speech',
  transcription: 'audio_transcription',
  moderation: 'moderation',
  rerank: 'rerank',
};

function litellmText(statements: readonly Statement[], write: Write): string {
  const entries = statements.flatMap((statement) => {
    const { provider, upstream, kind, prices, facts } = statement;
    const said = [...prices].filter(([field]) => sayable('litellm', statement, field));
    const members = said.flatMap(([field, value], index) => {
      const named = litellmNameOf(field, kind);
      if (named === undefined) return [];
      return [[named, rawJson(write(named in inverse ? value : perToken(value), index))]];
    });
    const modalities = facts.get('inputModalities')?.split(', ');
    const common = { litellm_provider: provider, mode: litellmMode[kind] };
    const model = {
      ...common,
      ...Object.fromEntries(members),
      ...(prices.has('webSearch') && {
        search_context_cost_per_query: { search_context_size_medium: rawJson(prices.get('webSearch') ?? '') },
      }),
      max_input_tokens: rawJson(facts.get('contextTokens') ?? '1'),
      ...(facts.has('maxOutputTokens') && { max_output_tokens: rawJson(facts.get('maxOutputTokens') ?? '1') }),
      ...(modalities && { supported_modalities: modalities }),
      ...(facts.has('retiresAt') && { deprecation_date: facts.get('retiresAt') }),
    };
    const images = said.flatMap(([field, value], index) => {
      const [size = '', quality] = field.split('/');
      if (quality === undefined) return [];
      const place = `${quality === 'default' ? '' : `${quality}/`}${size.replace('x', '-x-')}/${upstream}`;
      return [[place, { ...common, output_cost_per_image: rawJson(write(value, index)) }] as const];
    });
    return [[`${provider}/${upstream}`, model] as const, ...images];
  });
  return JSON.stringify(Object.fromEntries([['sample_spec', { mode: 'one of chat, embedding, …' }], ...entries]));
}

const inverse: Readonly<Record<string, true>> = Object.fromEntries(
  Object.values(litellmEach).map((name) => [name, true as const]),
);

function litellmNameOf(field: string, kind: ModelKind): string | undefined {
  const [rate, price] = field.includes(' ') ? field.split(' ') : ['', field];
  const isSpoken = kind === 'speech' && price === 'completion';
  const name = litellmFields[isSpoken ? 'audioCompletion' : (price as TokenPrice)];
  if (name === undefined) return litellmEach[field];
  const [, tier, bound] = /^([a-z]*)(?:>(\d+))?$/.exec(rate ?? '') ?? [];
  const above = bound === undefined ? '' : `_above_${Number(bound) / 1_000}k_tokens`;
  return `${name}${above}${tier === undefined || tier === '' ? '' : `_${tier}`}`;
}

export const modalityLists: readonly (readonly InputModality[])[] = [['text'], ['text', 'image'], ['text', 'file']];
