/** The prices of a model in the list. */
import { afterEach, expect, setSystemTime, test } from 'bun:test';
import { describeModel, handleModelList, type ModelObject } from '../../../../proxy/api/models/model-list.ts';
import { buildCatalogue, type RubRate } from '../../../../proxy/pricing/catalogue.ts';
import type { DecodedModel } from '../../../../shared/catalogue/published-catalogue.ts';
import { parseRubPerUsd } from '../../../../shared/money.ts';

const rate: RubRate = { perUsd: parseRubPerUsd('81.2345'), date: '2030-01-01', source: 'cbr' };
const model: DecodedModel = {
  id: 'test/thinker',
  kind: 'chat',
  ownedBy: 'test',
  createdAt: 1_893_456_000,
  contextTokens: 8_000,
  maxOutputTokens: 1_000,
  priceVersion: 1,
  promptPico: '600000',
  cachedPromptPico: '600000',
  cacheWritePico: '600000',
  completionPico: '1800000',
  reasoningPico: '1800000',
  deployments: [],
};

function describe(prices: Partial<DecodedModel>): ModelObject {
  const rubRate = { perUsd: '81.2345', date: '2030-01-01', source: 'cbr' as const };
  const provider = { protocol: 'openai' as const, baseUrl: 'http://127.0.0.1', apiKeyEnv: '', quirks: {} };
  const providers = [
    { ...provider, id: 'a' },
    { ...provider, id: 'b', publicName: 'azure' },
  ];
  const { models } = buildCatalogue('1', { providers, models: [{ ...model, ...prices }], rubRate });
  const built = models.get(model.id);
  if (built === undefined) throw new Error('the model is lost');
  return describeModel(built, rate);
}

test('providers of which the same is known are one, and nothing is said where nothing is known', () => {
  const deployment = { model: 'm', priority: 1, weight: 1, onDisconnect: 'abort' } as const;
  const known = { ...deployment, provider: 'b', country: 'DE', retentionDays: 0, trains: false };
  const providersOf = (...deployments: DecodedModel['deployments']) => describe({ deployments }).providers;
  expect(providersOf({ ...deployment, provider: 'a' })).toBeUndefined();
  expect(providersOf(known, { ...known, model: 'n' }, { ...deployment, provider: 'a' })).toEqual([
    { name: 'azure', country: 'DE', retention_days: 0, trains_on_requests: false },
    { name: null, country: null, retention_days: null, trains_on_requests: null },
  ]);
});

test('the catalogue says what a chat takes, and the kind of any other model decides it', () => {
  const architectureOf = (change: Partial<DecodedModel>) => describe(change).architecture;
  expect(architectureOf({})).toEqual({ input_modalities: ['text'], output_modalities: ['text'] });
  // A newer version knows more of them.
  expect(architectureOf({ inputModalities: ['file', 'smell', 'text', 'image'] })).toEqual({
    input_modalities: ['text', 'image', 'file'],
    output_modalities: ['text'],
  });
  expect(architectureOf({ kind: 'image', promptPico: '0' }).input_modalities).toEqual(['text']);
  expect(architectureOf({ kind: 'image' }).input_modalities).toEqual(['text', 'image']);
  expect(architectureOf({ kind: 'transcription' })).toEqual({
    input_modalities: ['audio'],
    output_modalities: ['transcription'],
  });
});

test('a model that retires has the day, and any other null', () => {
  expect(describe({}).expiration_date).toBeNull();
  expect(describe({ retiresAt: '2030-06-30' }).expiration_date).toBe('2030-06-30');
});

afterEach(() => void setSystemTime());

test('a model is listed until its day begins in UTC, and the list changes with its ETag', async () => {
  const days = ['2030-06-30', undefined, '2030-07-02', '2030-06-30'];
  const models = days.map((retiresAt, index) => ({ ...model, id: `test/${index}`, ...(retiresAt && { retiresAt }) }));
  const catalogue = buildCatalogue('1', { providers: [], models, rubRate: { ...rate, perUsd: '81.2345' } });
  const listAt = async (now: string) => {
    setSystemTime(new Date(now));
    const response = handleModelList(catalogue, new Request('http://gateway.test/v1/models'));
    const { data } = (await response.json()) as { data: { id: string }[] };
    return [response.headers.get('etag'), data.map(({ id }) => id)] as const;
  };
  const [before, all] = await listAt('2030-06-29T23:59:59.999Z');
  expect(all).toEqual(['test/0', 'test/1', 'test/2', 'test/3']);
  expect(await listAt('2030-06-29T23:59:59.999Z')).toEqual([before, all]);
  const [after, rest] = await listAt('2030-06-30T00:00:00Z');
  expect([after === before, rest]).toEqual([false, ['test/1', 'test/2']]);
  expect((await listAt('2030-07-02T00:00:00Z'))[1]).toEqual(['test/1']);
});

const roublesOf = ({ pricing_rub: prices }: ModelObject) =>
  Object.keys(prices).filter((name) => name.endsWith('_per_100k'));

test('every price of a model in dollars has a counterpart in roubles, and vice versa', () => {
  const apart = { cachedPromptPico: '300000', cacheWritePico: '750000', reasoningPico: '2400000' };
  const changes = Object.entries(apart).map(([name, pico]) => ({ [name]: pico }));
  for (const change of [{}, ...changes, apart]) {
    const described = describe(change);
    const dollars = Object.keys(described.pricing);
    expect(roublesOf(described)).toEqual(dollars.map((name) => `${name}_per_100k`));
    expect(dollars).toHaveLength(2 + Object.keys(change).length);
  }
});

test('prices of a model in roubles are exact', () => {
  const { pricing, pricing_rub: roubles } = describe({
    cachedPromptPico: '300000',
    cacheWritePico: '750000',
    reasoningPico: '2400001',
  });
  expect(pricing).toEqual({
    prompt: '0.0000006',
    completion: '0.0000018',
    cached_prompt: '0.0000003',
    cache_write: '0.00000075',
    reasoning: '0.000002400001',
  });
  expect(roubles).toMatchObject({
    prompt_per_100k: '4.87407',
    completion_per_100k: '14.62221',
    cached_prompt_per_100k: '2.437035',
    cache_write_per_100k: '6.0925875',
    reasoning_per_100k: '19.49628812345',
  });
});
