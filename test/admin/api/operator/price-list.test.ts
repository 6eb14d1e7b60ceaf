/** Operators compare the catalogue with a price list, and take differences over into a file. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type {
  comparisonSchema,
  priceListSchema,
  takenOverSchema,
} from '../../../../admin/api/operator/price-list/price-list-schemas.ts';
import { compareDaily } from '../../../../admin/catalogue/published-lists/daily-comparison.ts';
import { type Harness, startHarness } from '../../../harness.ts';
import { type ListServer, startListServer } from '../../catalogue/published-lists/list-server.ts';
import type { Catalogue } from '../response-types.ts';
import { type Api, createOperator, startApi } from '../start-api.ts';

type Comparison = typeof comparisonSchema.static;
type TakenOver = typeof takenOverSchema.static;
type PriceList = typeof priceListSchema.static;

interface ErrorBody {
  readonly error: { readonly code: string; readonly param: string | null; readonly message: string };
}

const path = '/api/operator/catalogue/price-list';

let harness: Harness;
let server: ListServer;
let api: Api;
let token: string;
beforeAll(async () => {
  harness = await startHarness();
  server = startListServer();
  api = await startApi(harness, { environment: { CATALOGUE_SYNC_URL: server.url } });
  ({ token } = await createOperator(harness, api));
  await harness.applyCatalogue(`providers:
  - { id: demo, protocol: openai, baseUrl: "http://127.0.0.1:9/v1" }
models:
  - id: one
    kind: chat
    ownedBy: demo
    contextTokens: 8000
    maxOutputTokens: 1000
    price: { prompt: "1", completion: "2" }
    deployments: [{ provider: demo, model: Upstream }]
`);
});
afterAll(async () => {
  await api.stop();
  await server.stop();
  await harness.stop();
});

/** USD per million tokens. */
const listOf = (prompt: string, completion: string) => `{ "data": [
  { "id": "demo/upstream", "context_length": 9000,
    "pricing": { "prompt": "${prompt}e-6", "completion": "${completion}e-6" } },
  { "id": "demo/other", "pricing": { "prompt": "0" } } ] }`;
const post = <Body>(route: string, body: object) => api.call<Body>('POST', `${path}/${route}`, { token, body });
const versionNow = async () => (await api.call<Catalogue>('GET', '/api/operator/catalogue', { token })).body.version;
const prompt = { field: 'prompt', from: '1', to: '1.5', isPrice: true, isDecrease: false, isLarge: false };
const context = { field: 'contextTokens', from: '8000', to: '9000', isPrice: false, isDecrease: false, isLarge: false };

test('a list that is sent is compared, and so is the one that is configured', async () => {
  server.answer = () => new Response(listOf('1.5', '2'));
  const version = await versionNow();
  const expected = {
    version,
    form: 'openrouter',
    changed: [{ model: 'one', entry: 'demo/upstream', rule: 'deployment', changes: [prompt, context] }],
    ...{ unchanged: 0, added: ['demo/other'], ambiguous: [], unlisted: [], unreadable: [] },
  };
  expect((await post<Comparison>('compare', { list: listOf('1.5', '2') })).body).toEqual(expected as never);
  expect((await post<Comparison>('compare', {})).body).toEqual(expected as never);
  expect(await versionNow()).toBe(version);
});

describe('taking over', () => {
  const take = (list: string, ...changes: unknown[]) => post<TakenOver & ErrorBody>('take-over', { list, changes });
  const change = (field: string, to: string, more: object = {}) => ({ model: 'one', field, to, ...more });

  test('makes a file that is previewed and applied like any other', async () => {
    const list = listOf('1.5', '2');
    const { status, body } = await take(list, change('contextTokens', '9000'));
    expect(status).toBe(200);
    expect(await versionNow()).toBe(body.version);
    const { catalogue } = body;
    const preview = await api.call<{ valid: boolean; version: number }>('POST', '/api/operator/catalogue/preview', {
      token,
      body: { catalogue },
    });
    expect(preview.body).toMatchObject({ valid: true, version: body.version });
    const applied = await api.call('PUT', '/api/operator/catalogue', {
      token,
      body: { catalogue, expectedVersion: body.version },
    });
    expect(applied.status).toBe(200);
    const left = await post<Comparison>('compare', { list });
    expect(left.body.changed[0]?.changes).toEqual([prompt]);
  });

  test('of a large difference has to be confirmed on its own', async () => {
    const list = listOf('4', '2.5');
    const { status, body } = await take(list, change('completion', '2.5'), change('prompt', '4'));
    expect(status).toBe(409);
    expect(body.error).toMatchObject({ code: 'price_not_confirmed', param: 'changes[1].confirmed' });
    const confirmed = await take(list, change('completion', '2.5'), change('prompt', '4', { confirmed: true }));
    expect(confirmed.body.catalogue).toContain('prompt: "4"');
  });

  test('of what the list does not say is refused', async () => {
    const list = listOf('1.5', '2');
    for (const wanted of [
      change('prompt', '1.6'),
      change('completion', '2'),
      { ...change('prompt', '1.5'), model: 'two' },
    ]) {
      const { status, body } = await take(list, wanted);
      expect(status).toBe(409);
      expect(body.error).toMatchObject({ code: 'catalogue_changed', param: 'changes[0]' });
    }
    expect((await take(list)).status).toBe(400);
    expect((await take(list, { ...change('prompt', '1.5'), more: 1 })).status).toBe(400);
  });
});

test('a list of several megabytes is compared', async () => {
  const others = Array.from(
    { length: 4_000 },
    (_, index) => `{ "id": "maker/m${index}", "pricing": { "prompt": "0.1" },
    "description": "${'x'.repeat(1_000)}" }`,
  );
  const { status, body } = await post<Comparison>('compare', { list: `{ "data": [${others.join(',')}] }` });
  expect(status).toBe(200);
  expect(body).toMatchObject({ unlisted: ['one'], added: [], changed: [] });
});

test('a list that cannot be read or fetched is refused with its reason', async () => {
  const unreadable = await post<ErrorBody>('compare', { list: '{}' });
  expect(unreadable).toMatchObject({ status: 400, body: { error: { code: 'invalid_price_list', param: 'list' } } });
  server.answer = () => new Response('', { status: 500 });
  const unavailable = await post<ErrorBody>('compare', {});
  expect(unavailable).toMatchObject({ status: 503, body: { error: { code: 'price_list_unavailable' } } });
  expect(unavailable.body.error.message).toContain('status 500');
});

test('the page sees the last attempt and what was found last', async () => {
  const read = async () => (await api.call<PriceList>('GET', path, { token })).body;
  const none = { url: server.url, appliesDecreases: false, lastAttempt: null, lastComparison: null };
  expect(await read()).toEqual(none);
  const { database, catalogueReaders, log } = api.services;
  const config = { priceList: { url: server.url, appliesDecreases: false }, listedKeys: new Set<string>() };
  const services = { database, config, catalogueReaders, log, stopping: new AbortController().signal };
  const compareAt = (at: string) => compareDaily({ ...services, now: () => new Date(at), announce: async () => {} });
  server.answer = () => new Response(listOf('1.5', '2'));
  await compareAt('2030-01-01T00:00:00Z');
  server.answer = () => new Response('', { status: 500 });
  await compareAt('2030-01-02T00:00:00Z');
  expect(await read()).toMatchObject({
    lastAttempt: { startedAt: '2030-01-02T00:00:00.000Z', error: expect.stringContaining('status 500') },
    lastComparison: {
      comparedAt: '2030-01-01T00:00:00.000Z',
      ...{ applied: [], appliedVersion: null, form: 'openrouter' },
      changed: [{ model: 'one', changes: [prompt] }],
    },
  });
});
