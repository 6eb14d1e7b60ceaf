/** Price lists in OpenRouter's and LiteLLM's form, as they are written: exact numbers, and what each of them leaves out. */
import { describe, expect, test } from 'bun:test';
import type { CatalogueFile, CatalogueFileModel } from '../../../../admin/catalogue/catalogue-file.ts';
import { compareWithList } from '../../../../admin/catalogue/published-lists/compare-with-list.ts';
import type { Offer } from '../../../../admin/catalogue/published-lists/offer.ts';
import { readPublishedList } from '../../../../admin/catalogue/published-lists/read-published-list.ts';
import { GatewayError } from '../../../../shared/errors.ts';
import { picoUsdEach, picoUsdPerToken } from '../../../../shared/money.ts';

const litellm = (members: string) => readPublishedList(`{ "sample_spec": { "mode": "…" }, ${members} }`);
const openrouter = (...models: string[]) => readPublishedList(`{ "data": [${models.join(', ')}] }`);
const pico = (value: bigint) => picoUsdPerToken(value);
const only = ({ offers }: { offers: readonly Offer[] }) => offers[0];

test('numbers of a list are read exactly, however they are written', () => {
  const promptOf = (number: string) => only(litellm(`"m": { "input_cost_per_token": ${number} }`))?.tokens.prompt;
  expect(promptOf('1.5e-07')).toBe(pico(150_000n));
  expect(promptOf('0.00000015')).toBe(pico(150_000n));
  expect(promptOf('15E-8')).toBe(pico(150_000n));
  expect(promptOf('2e-12')).toBe(pico(2n));
  // A float would make 2999999999999999.9 of it, or 3000000000000000.5.
  expect(promptOf('0.000000000123000000000000000000')).toBe(pico(123n));
  // A catalogue holds no more digits, so it is rounded up.
  expect(promptOf('8.33333333e-8')).toBe(pico(83_334n));
});

test.each(['-1', '"-1"', '"free"', '1e999', '1e-999', `1.${'0'.repeat(60)}`, 'true', '[]', '2000'])(
  'an entry with the price %s is left out and named',
  (price) => {
    const { offers, unreadable } = litellm(`"m": { "input_cost_per_token": ${price} }, "n": { "mode": "chat" }`);
    expect(offers.map(({ entry }) => entry)).toEqual(['n']);
    expect(unreadable).toEqual([{ entry: 'm', reason: expect.stringContaining('input_cost_per_token') }]);
  },
);

test.each(['', 'no JSON', '[]', '1', 'null', '{}', '{"data":[]}', '{"data":[{}]}', '{"a":1}', '{"a":{"b":1}}'])(
  'the text %j is refused as a price list',
  (text) => {
    expect(() => readPublishedList(text)).toThrow(GatewayError);
  },
);

describe('in OpenRouter’s form', () => {
  const model = `{
    "id": "Maker/Writer-2", "canonical_slug": "maker/writer-2-20300115", "context_length": 200000,
    "architecture": { "input_modalities": ["image", "text", "smell"], "output_modalities": ["text"] },
    "pricing": {
      "prompt": "0.00000125", "completion": "0.00001", "image": "0.005", "request": "0", "web_search": "0.01",
      "internal_reasoning": "0", "input_cache_read": "0.000000125",
      "overrides": [{ "min_prompt_tokens": 100000, "prompt": "0.0000025", "completion": "0.000015" }]
    },
    "top_provider": { "context_length": 200000, "max_completion_tokens": 8192, "is_moderated": false },
    "expiration_date": "2030-06-30"
  }`;

  test('a model has its prices, sizes, modalities and its last day', () => {
    expect(only(openrouter(model))).toEqual({
      entry: 'Maker/Writer-2',
      names: [
        { provider: 'maker', model: 'writer-2' },
        { provider: 'openrouter', model: 'maker/writer-2' },
        { provider: 'maker', model: 'writer-2-20300115' },
        { provider: 'openrouter', model: 'maker/writer-2-20300115' },
      ],
      kind: 'chat',
      // A part of which it says 0 has no price of its own.
      tokens: { prompt: pico(1_250_000n), completion: pico(10_000_000n), cachedPrompt: pico(125_000n) },
      rates: [
        {
          tier: 'default',
          above: 100_000,
          prices: { prompt: pico(2_500_000n), completion: pico(15_000_000n) },
        },
      ],
      each: { request: picoUsdEach(0n), webSearch: picoUsdEach(10_000_000_000n) },
      images: [],
      contextTokens: 200_000,
      maxOutputTokens: 8_192,
      inputModalities: ['text', 'image'],
      retiresAt: '2030-06-30',
    });
  });

  test('what is null or missing is not stated, and a price that varies cannot be read', () => {
    const bare =
      '{ "id": "m", "pricing": {}, "top_provider": { "max_completion_tokens": null }, "expiration_date": null }';
    const { offers, unreadable } = openrouter(bare, '{ "id": "auto", "pricing": { "prompt": "-1" } }', '{}');
    expect(offers).toEqual([
      {
        ...{ entry: 'm', names: [{ provider: 'openrouter', model: 'm' }], kind: undefined },
        ...{ tokens: {}, rates: [], each: {}, images: [] },
      },
    ]);
    expect(unreadable.map(({ entry }) => entry)).toEqual(['auto', 'data[2]']);
  });
});

describe('in LiteLLM’s form', () => {
  test('a model has its steps, its tiers, its modalities and its last day', () => {
    const offer = only(
      litellm(`"openai/writer": {
        "litellm_provider": "openai", "mode": "responses", "max_input_tokens": 272000, "max_output_tokens": 8192.0,
        "input_cost_per_token": 1e-06, "output_cost_per_token": 4e-06, "output_cost_per_reasoning_token": 5e-06,
        "cache_creation_input_token_cost_above_1hr": 2e-06, "cache_creation_input_token_cost": 0.0,
        "input_cost_per_token_above_128k_tokens": 2e-06, "input_cost_per_token_flex": 5e-07,
        "output_cost_per_token_flex": 2e-06, "input_cost_per_token_above_128k_tokens_flex": 1e-06,
        "input_cost_per_token_priority": 2e-06, "input_cost_per_token_batches": 5e-07,
        "supports_vision": true, "supports_pdf_input": true, "supports_audio_input": false,
        "deprecation_date": "2030-06-30"
      }`),
    );
    expect(offer).toMatchObject({
      names: [{ provider: 'openai', model: 'writer' }],
      kind: 'chat',
      tokens: {
        prompt: pico(1_000_000n),
        completion: pico(4_000_000n),
        reasoning: pico(5_000_000n),
        cacheWrite1h: pico(2_000_000n),
      },
      contextTokens: 272_000,
      maxOutputTokens: 8_192,
      inputModalities: ['text', 'image', 'file'],
      retiresAt: '2030-06-30',
    });
    expect(offer?.tokens).not.toHaveProperty('cacheWrite');
    // The tier `priority` has no price for output, so it is not compared.
    expect(offer?.rates).toEqual([
      { tier: 'default', above: 128_000, prices: { prompt: pico(2_000_000n) } },
      { tier: 'flex', above: 0, prices: { prompt: pico(500_000n), completion: pico(2_000_000n) } },
      { tier: 'flex', above: 128_000, prices: { prompt: pico(1_000_000n) } },
    ]);
  });

  test('images of each size are rows of their model', () => {
    const { offers } = litellm(`
      "gpt-image": { "litellm_provider": "openai", "mode": "image_generation", "input_cost_per_token": 5e-06 },
      "low/1024-x-1024/gpt-image": { "litellm_provider": "openai", "input_cost_per_image": 0.011 },
      "openai/hd/1024-x-1792/gpt-image": { "litellm_provider": "openai", "output_cost_per_image": 0.25 },
      "512-x-512/painter": { "litellm_provider": "azure", "output_cost_per_image": 1.8e-2 },
      "256-x-256/painter": { "litellm_provider": "azure", "input_cost_per_pixel": 1e-8 }`);
    const each = (nano: bigint) => picoUsdEach(nano * 1_000n);
    expect(offers.map(({ names, images }) => [names[0], images])).toEqual([
      [
        { provider: 'openai', model: 'gpt-image' },
        [
          { size: '1024x1024', quality: 'low', price: each(11_000_000n) },
          { size: '1024x1792', quality: 'hd', price: each(250_000_000n) },
        ],
      ],
      [{ provider: 'azure', model: 'painter' }, [{ size: '512x512', quality: 'default', price: each(18_000_000n) }]],
    ]);
  });

  test('audio is priced by what a model says of audio tokens, else by the second or the character', () => {
    const { offers } = litellm(`
      "listener": { "mode": "audio_transcription", "input_cost_per_token": 2.5e-06, "input_cost_per_audio_token": 6e-06 },
      "speaker": { "mode": "audio_speech", "input_cost_per_token": 6e-07, "output_cost_per_audio_token": 1.2e-05 },
      "whisper": { "mode": "audio_transcription", "input_cost_per_second": 0.0001, "output_cost_per_second": 0.0001 },
      "tts": { "mode": "audio_speech", "input_cost_per_character": 1.5e-05 }`);
    expect(offers.map(({ tokens, each }) => ({ ...tokens, ...each }))).toEqual([
      { prompt: pico(2_500_000n), audioPrompt: pico(6_000_000n) },
      { prompt: pico(600_000n), completion: pico(12_000_000n) },
      { second: picoUsdEach(100_000_000n) },
      { character: picoUsdEach(15_000_000n) },
    ]);
  });
});

describe('a model is found in a list', () => {
  type Provider = Partial<CatalogueFile['providers'][number]>;
  const chat = (deployments: CatalogueFileModel['deployments'], more: Partial<CatalogueFileModel> = {}) => ({
    ...{ id: 'own', kind: 'chat' as const, ownedBy: 'maker', contextTokens: 1_000, maxOutputTokens: 100, deployments },
    ...{ price: { prompt: '1', completion: '1' } },
    ...more,
  });
  const file = (providers: readonly Provider[], ...models: CatalogueFileModel[]): CatalogueFile => ({
    providers: providers.map((provider) => ({
      ...{ id: 'openai', protocol: 'openai', baseUrl: 'https://a.test' },
      ...provider,
    })),
    models,
  });
  const at = (provider: string, model: string, priority = 1) => ({ provider, model, priority });
  const entries = (...names: string[]) =>
    openrouter(...names.map((id, index) => `{ "id": "${id}", "pricing": { "prompt": "0.00000${index + 2}" } }`));
  const compare = (catalogue: CatalogueFile, list: ReturnType<typeof entries>) => {
    const { changed, ambiguous, unlisted, added } = compareWithList(catalogue, list, '2030-01-01');
    return { found: changed.map(({ offer, rule }) => [offer.entry, rule]), ambiguous, unlisted, added };
  };
  const one = (entry: string, rule: string, added: readonly string[] = []) => ({
    ...{ found: [[entry, rule]], ambiguous: [], unlisted: [], added },
  });

  test('by the same name before one without a date', () => {
    const catalogue = file([{}], chat([at('openai', 'Writer-2030-01-15')]));
    expect(compare(catalogue, entries('openai/writer', 'openai/writer-2030-01-15'))).toEqual(
      one('openai/writer-2030-01-15', 'deployment', ['openai/writer']),
    );
    expect(compare(catalogue, entries('openai/writer', 'other/writer-2030-01-15'))).toEqual(
      one('openai/writer', 'undated'),
    );
  });

  test('by every name of its provider', () => {
    const gemini = file([{ id: 'g', protocol: 'gemini' }], chat([at('g', 'gemini-2.5-pro')]));
    expect(compare(gemini, entries('google/gemini-2.5-pro'))).toEqual(one('google/gemini-2.5-pro', 'deployment'));
    const named = file([{ id: 'weu', publicName: 'xai' }], chat([at('weu', 'grok')]));
    expect(compare(named, entries('x-ai/grok'))).toEqual(one('x-ai/grok', 'deployment'));
    const router = file([{ id: 'openrouter' }], chat([at('openrouter', 'x-ai/grok')]));
    expect(compare(router, entries('x-ai/grok'))).toEqual(one('x-ai/grok', 'deployment'));
  });

  test('and not compared where several entries may be meant', () => {
    const catalogue = file([{}], chat([at('openai', 'writer-2030-03-03')]));
    const list = entries('openai/writer-2030-01-15', 'openai/writer-2030-02-15');
    expect(compare(catalogue, list)).toEqual({
      ...{ found: [], unlisted: [], added: [] },
      ambiguous: [{ model: 'own', entries: ['openai/writer-2030-01-15', 'openai/writer-2030-02-15'] }],
    });
  });

  test('by the deployments that are tried first', () => {
    const providers = [{}, { id: 'azure' }];
    const deployments = [at('azure', 'writer', 2), at('openai', 'writer', 1)];
    const list = entries('azure/writer', 'openai/writer');
    expect(compare(file(providers, chat(deployments)), list)).toEqual(
      one('openai/writer', 'deployment', ['azure/writer']),
    );
    const equal = deployments.map((deployment) => ({ ...deployment, priority: 1 }));
    expect(compare(file(providers, chat(equal)), list).ambiguous).toHaveLength(1);
  });

  test('unless its kind is another one', () => {
    const list = openrouter(
      '{ "id": "openai/writer", "architecture": { "output_modalities": ["image"] }, "context_length": 7 }',
    );
    expect(compare(file([{}], chat([at('openai', 'writer')])), list)).toEqual({
      ...{ found: [], ambiguous: [], unlisted: ['own'], added: ['openai/writer'] },
    });
  });

  test('and the others of its provider are new, unless they have retired', () => {
    const list = openrouter(
      '{ "id": "openai/old", "context_length": 7, "expiration_date": "2029-12-31" }',
      '{ "id": "openai/new", "context_length": 7, "expiration_date": "2030-12-31" }',
      '{ "id": "other/new", "context_length": 7 }',
    );
    expect(compare(file([{}], chat([at('openai', 'writer')])), list).added).toEqual(['openai/new']);
  });
});

describe('a difference', () => {
  const catalogue = (price: CatalogueFileModel['price']): CatalogueFile => ({
    providers: [{ id: 'openai', protocol: 'openai', baseUrl: 'https://a.test' }],
    models: [
      {
        ...{ id: 'own', kind: 'chat', ownedBy: 'maker', contextTokens: 300_000, maxOutputTokens: 100, price },
        deployments: [{ provider: 'openai', model: 'writer' }],
      },
    ],
  });
  const changesOf = (price: CatalogueFileModel['price'], pricing: string) =>
    compareWithList(
      catalogue(price),
      openrouter(`{ "id": "openai/writer", "pricing": { ${pricing} } }`),
      '2030-01-01',
    ).changed.flatMap(({ changes }) => changes);

  test('of more than three times is large, in either direction, and that to or from nothing', () => {
    const sizes = (from: string, to: string) =>
      changesOf({ prompt: from, completion: '1' }, `"prompt": "${to}"`).map(({ isLarge, isDecrease }) => [
        isLarge,
        isDecrease,
      ]);
    expect(sizes('1', '0.000003')).toEqual([[false, false]]);
    expect(sizes('1', '0.000003000001')).toEqual([[true, false]]);
    expect(sizes('3', '0.000001')).toEqual([[false, true]]);
    expect(sizes('3.000001', '0.000001')).toEqual([[true, true]]);
    expect(sizes('0', '0.000001')).toEqual([[true, false]]);
    expect(sizes('1', '0')).toEqual([[true, true]]);
  });

  test('is also a step that the list has or has not, and no step of a list without prices', () => {
    const stepped = { prompt: '1', completion: '2', steps: [{ above: 200_000, prompt: '2' }] };
    const usual = '"prompt": "0.000001", "completion": "0.000002"';
    const step = '"overrides": [{ "min_prompt_tokens": 200000, "prompt": "0.000002" }]';
    expect(changesOf(stepped, `${usual}, ${step}`)).toEqual([]);
    const kinds = { isPrice: true, isDecrease: false, isLarge: false };
    expect(changesOf(stepped, usual)).toEqual([{ field: '>200000 prompt', from: '2', to: null, ...kinds }]);
    expect(changesOf({ prompt: '1', completion: '2' }, `${usual}, ${step}`)).toEqual([
      { field: '>200000 prompt', from: null, to: '2', ...kinds },
    ]);
    expect(changesOf(stepped, '"prompt": "0.000001"')).toEqual([]);
  });
});
