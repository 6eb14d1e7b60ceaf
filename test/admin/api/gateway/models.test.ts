/** GET /api/models: the price list of the effective catalogue, in dollars and roubles, without suppliers. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { pricesLike } from '../../../../admin/api/fields/money.ts';
import { type Harness, startHarness } from '../../../harness.ts';
import type { PriceList } from '../response-types.ts';
import { type Api, register, startApi } from '../start-api.ts';

let harness: Harness;
let api: Api;
let token: string;
beforeAll(async () => {
  harness = await startHarness();
  api = await startApi(harness, { environment: { CBR_URL: 'off', USD_RUB_RATE: '81.2345' } });
  ({ token } = await register(api));
});
afterAll(async () => {
  await api.stop();
  await harness.stop();
});

const yaml = (models: string) => `
providers:
  - { id: hidden-supplier, protocol: openai, baseUrl: "http://127.0.0.1:9/v1" }
models:
${models}`;
const chat = (id: string, prompt = '0.15') => `
  - id: ${id}
    kind: chat
    ownedBy: demo
    contextTokens: 8000
    maxOutputTokens: 1000
    price: { prompt: "${prompt}", completion: "0.60", cachedPrompt: "0.075" }
    markup: "1.20"
    deployments: [{ provider: hidden-supplier, model: upstream-name }]`;
const image = `
  - id: demo/image
    kind: image
    ownedBy: demo
    contextTokens: 8000
    price: { images: [{ size: default, quality: default, priceUsd: "0.04" }] }
    deployments: [{ provider: hidden-supplier, model: upstream-image }]`;
const read = () => api.call<PriceList>('GET', '/api/models', { token });

test('the list is empty before there is a catalogue, and follows each one that is applied', async () => {
  expect((await read()).body.models).toEqual([]);
  await harness.applyCatalogue(yaml(chat('demo/one') + chat('demo/two', '0.30')));
  expect((await read()).body.models.map(({ id }) => id)).toEqual(['demo/one', 'demo/two']);
  await harness.applyCatalogue(yaml(chat('demo/two', '0.45')));
  const { models } = (await read()).body;
  expect(models.map(({ id, perMillionTokens }) => [id, perMillionTokens.prompt])).toEqual([['demo/two', '0.54']]);
});

test('prices include the markup, are exact in both currencies, and name no supplier', async () => {
  await harness.applyCatalogue(yaml(chat('demo/chat') + image));
  const { status, body } = await read();
  expect(status).toBe(200);
  expect(body.rubRate).toEqual({ perUsd: '81.2345', date: null, source: 'configured' });
  const [first, second] = body.models;
  expect(first).toEqual({
    id: 'demo/chat',
    kind: 'chat',
    ownedBy: 'demo',
    contextTokens: 8000,
    maxOutputTokens: 1000,
    retiresAt: null,
    pricesSince: expect.stringMatching(/^\d{4}-.*Z$/),
    perMillionTokens: pricesLike({ prompt: '0.18', cachedPrompt: '0.09', completion: '0.72' }),
    perMillionTokensRub: pricesLike({ prompt: '14.62221', cachedPrompt: '7.311105', completion: '58.48884' }),
    perImage: [],
    perUnit: [],
    providers: [],
    rates: [],
  });
  expect(second?.perImage).toEqual([{ size: 'default', quality: 'default', price: '0.04', priceRub: '3.24938' }]);
  expect(JSON.stringify(body)).not.toContain('supplier');
  expect(JSON.stringify(body)).not.toContain('upstream');
});

test('providers are listed under their public names, with what is known about them', async () => {
  const facts = 'publicName: azure, country: DE, retentionDays: 0, trains: false';
  await harness.applyCatalogue(`
providers:
  - { id: hidden-supplier, protocol: openai, baseUrl: "http://127.0.0.1:9/v1", ${facts} }
  - { id: other-supplier, protocol: openai, baseUrl: "http://127.0.0.1:9/v1", country: US }
models:
  - id: demo/known
    kind: chat
    ownedBy: demo
    contextTokens: 8000
    maxOutputTokens: 1000
    price: { prompt: "0.15", completion: "0.60" }
    deployments:
      - { provider: hidden-supplier, model: upstream-name }
      - { provider: hidden-supplier, model: again }
      - { provider: hidden-supplier, model: elsewhere, country: FR, retentionDays: 30 }
      - { provider: other-supplier, model: upstream-name }`);
  const { body } = await read();
  expect(body.models[0]?.providers).toEqual([
    { name: 'azure', country: 'DE', retentionDays: 0, trainsOnRequests: false },
    { name: 'azure', country: 'FR', retentionDays: 30, trainsOnRequests: false },
    { name: null, country: 'US', retentionDays: null, trainsOnRequests: null },
  ]);
  expect(JSON.stringify(body)).not.toContain('supplier');
});

test('a thousand models are one list, in the order of the catalogue', async () => {
  const ids = Array.from({ length: 1_000 }, (_, index) => `demo/model-${index}`);
  await harness.applyCatalogue(yaml(ids.map((id) => chat(id)).join('')));
  expect((await read()).body.models.map(({ id }) => id)).toEqual(ids);
});
