/** Catalogues applied by operators: now or at a set time, once, audited, and only if they are valid. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { pricesLike } from '../../../../admin/api/fields/money.ts';
import type { previewSchema } from '../../../../admin/api/operator/preview-docs.ts';
import { applyDueCatalogues } from '../../../../admin/catalogue/schedule-catalogue.ts';
import { catalogueFields, catalogueKey, decodeCatalogue } from '../../../../shared/catalogue/published-catalogue.ts';
import { guardTimeoutMs, waitFor } from '../../../harness/account-view.ts';
import { testPassword } from '../../../harness/customers.ts';
import { type Harness, startHarness } from '../../../harness.ts';
import type { Applied, AuditList, Catalogue, PriceHistory, Scheduled } from '../response-types.ts';
import { type Api, logIn, startApi } from '../start-api.ts';

type Preview = typeof previewSchema.static;

let harness: Harness;
let api: Api;
let token: string;
let email: string;
beforeAll(async () => {
  harness = await startHarness();
  api = await startApi(harness, { environment: { PROVIDER_KEYS: 'LISTED_TOKEN' } });
  ({ email } = await harness.createCustomer({ usd: '0', role: 'operator' }));
  token = await logIn(api, email, testPassword);
});
afterAll(async () => {
  await api.stop();
  await harness.stop();
});

const yaml = (price: string, markup = '1.20') => `
providers:
  - { id: demo, protocol: openai, baseUrl: "http://127.0.0.1:9/v1" }
models:
  - id: demo/chat
    kind: chat
    ownedBy: demo
    contextTokens: 8000
    maxOutputTokens: 1000
    price: { prompt: "${price}", completion: "0.60" }
    markup: "${markup}"
    deployments: [{ provider: demo, model: demo-chat }]
`;
const ask = <Body>(method: string, path = '', body?: object) =>
  api.call<Body>(method, `/api/operator/catalogue${path}`, { token, ...(body && { body }) });
const apply = (catalogue: string) => ask<Applied>('PUT', '', { catalogue });
const schedule = (catalogue: string, effectiveFrom: string) =>
  ask<Scheduled>('POST', '/scheduled', { catalogue, effectiveFrom });
const pricesNow = async () => (await ask<PriceHistory>('GET', '/prices?model=demo/chat')).body.prices;
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();

test('the catalogue is a 404 before one is applied', async () => {
  expect((await ask('GET')).error?.code).toBe('not_found');
  expect((await ask<Preview>('POST', '/preview', { catalogue: yaml('0.10') })).body.version).toBeNull();
  const tooEarly = await ask('PUT', '', { catalogue: yaml('0.10'), expectedVersion: 7 });
  expect([tooEarly.error?.code, tooEarly.error?.message]).toEqual([
    'catalogue_changed',
    expect.stringMatching(/^No catalogue is in effect/),
  ]);
  expect((await ask('GET', '/prices?model=demo/chat')).error?.code).toBe('model_not_found');
});

test('an applied catalogue is effective, and a changed price is a new version', async () => {
  const first = await ask<Applied>('PUT', '', { catalogue: yaml('0.10'), expectedVersion: null });
  expect(first).toMatchObject({ status: 200, body: { models: 1, pricesChanged: 1 } });
  expect((await apply(yaml('0.10'))).body.pricesChanged).toBe(0);
  expect((await apply(yaml('0.20', '1.5'))).body.pricesChanged).toBe(1);
  const [newest, older] = await pricesNow();
  expect(newest).toEqual({
    version: expect.any(Number),
    effectiveFrom: expect.stringMatching(/^\d{4}-.*Z$/),
    markup: '1.5',
    listed: pricesLike({ prompt: '0.3', completion: '0.9' }),
    provider: pricesLike({ prompt: '0.2', completion: '0.6' }),
    images: [],
    perUnit: [],
    rates: [],
  });
  expect(older).toMatchObject({ markup: '1.2', listed: { prompt: '0.12' } });
  const { body } = await ask<Catalogue>('GET');
  expect(Bun.YAML.parse(body.catalogue)).toEqual(Bun.YAML.parse(yaml('0.20', '1.5')));
  expect(body.catalogue).toEndWith('\n');
  // The export can be applied as it is.
  expect((await apply(body.catalogue)).body.pricesChanged).toBe(0);
});

test('an invalid catalogue changes nothing, and every mistake is named', async () => {
  const before = (await ask<Catalogue>('GET')).body.version;
  const bad = yaml('free').replace('kind: chat', 'kind: chitchat');
  for (const response of [await apply(bad), await schedule(bad, inAnHour())]) {
    expect(response.status).toBe(400);
    expect(response.error).toMatchObject({ code: 'invalid_catalogue', param: 'catalogue' });
    expect(response.error?.errors?.map(({ message }) => message.split(':')[0])).toEqual([
      'models[0].kind',
      'models[0].price.prompt',
    ]);
  }
  expect((await ask<Catalogue>('GET')).body).toMatchObject({ version: before, scheduled: [] });
});

test("a provider's key can only come from a variable that is meant for providers", async () => {
  const withKey = (variable: string) => yaml('0.20').replace('openai,', `openai, apiKeyEnv: ${variable},`);
  for (const variable of ['JWT_SECRET', 'DEMO_TOKEN', 'LISTED_TOKEN_FILE']) {
    for (const response of [await apply(withKey(variable)), await schedule(withKey(variable), inAnHour())]) {
      expect([response.status, response.error?.code]).toEqual([400, 'invalid_catalogue']);
      expect(response.error?.errors?.map(({ message }) => message)).toEqual([
        expect.stringContaining(`provider demo: apiKeyEnv ${variable} `),
      ]);
    }
  }
  expect((await apply(withKey('LISTED_TOKEN'))).status).toBe(200);
});

describe('a scheduled catalogue', () => {
  const setDue = (id: number) =>
    harness.database.sql`UPDATE scheduled_catalogues SET effective_from = now() - interval '1 second' WHERE id = ${id}`;
  const actions = async () => {
    const { body } = await api.call<AuditList>('GET', '/api/operator/audit', { token });
    return body.entries.map(({ action, actor }) => `${action} by ${actor}`);
  };

  test('is applied once at its time, however many replicas there are', async () => {
    const effectiveFrom = inAnHour();
    const scheduled = await schedule(yaml('0.40'), effectiveFrom);
    expect(scheduled).toMatchObject({ status: 201, body: { effectiveFrom } });
    const { id } = scheduled.body;
    expect(await applyDueCatalogues(harness.database.db)).toBe(0);
    const { body: waiting } = await ask<Catalogue>('GET');
    expect(waiting.scheduled).toMatchObject([{ id, effectiveFrom }]);
    expect((await pricesNow())[0]?.provider.prompt).toBe('0.2');

    await setDue(id);
    const applied = await Promise.all([1, 2, 3, 4].map(() => applyDueCatalogues(harness.database.db)));
    expect(applied.reduce((sum, count) => sum + count)).toBe(1);
    expect((await pricesNow())[0]?.provider.prompt).toBe('0.4');
    const { body: now } = await ask<Catalogue>('GET');
    expect({ version: now.version, scheduled: now.scheduled }).toEqual({ version: waiting.version + 1, scheduled: [] });
    expect((await actions()).slice(0, 2)).toEqual([
      'catalogue.apply by worker:catalogue',
      `catalogue.schedule by ${email}`,
    ]);
  });

  test('is applied in the order of the scheduled times if several are due', async () => {
    const later = await schedule(yaml('0.60'), new Date(Date.now() + 7_200_000).toISOString());
    const sooner = await schedule(yaml('0.50'), inAnHour());
    const { body } = await ask<Catalogue>('GET');
    expect(body.scheduled.map(({ id }) => id)).toEqual([sooner.body.id, later.body.id]);
    await harness.database.sql`UPDATE scheduled_catalogues SET effective_from = effective_from - interval '1 day'`;
    expect(await applyDueCatalogues(harness.database.db)).toBe(2);
    expect((await pricesNow()).slice(0, 2).map(({ provider }) => provider.prompt)).toEqual(['0.6', '0.5']);
  });

  test('never becomes effective after it was cancelled', async () => {
    const { body } = await schedule(yaml('0.70'), inAnHour());
    expect((await ask('DELETE', `/scheduled/${body.id}`)).status).toBe(204);
    expect((await ask('DELETE', `/scheduled/${body.id}`)).error?.code).toBe('not_found');
    await setDue(body.id);
    expect(await applyDueCatalogues(harness.database.db)).toBe(0);
    expect((await actions())[0]).toBe(`catalogue.cancel by ${email}`);
  });

  test('is published to the proxies by a running admin', async () => {
    const admin = await harness.openAdmin();
    const { body } = await schedule(yaml('0.80', '1'), inAnHour());
    await setDue(body.id);
    await waitFor('the scheduled catalogue', guardTimeoutMs, async () => {
      const document = await harness.redis.hget(catalogueKey, catalogueFields.document);
      return document !== null && decodeCatalogue(document).models[0]?.promptPico === '800000';
    });
    await admin.stop();
  });

  test.each([
    ['effectiveFrom', { catalogue: yaml('1'), effectiveFrom: '2020-01-01T00:00:00Z' }],
    ['effectiveFrom', { catalogue: yaml('1'), effectiveFrom: 'tomorrow' }],
    ['effectiveFrom', { catalogue: yaml('1') }],
    ['catalogue', { effectiveFrom: '2090-01-01T00:00:00Z' }],
    ['catalogue', { catalogue: {}, effectiveFrom: '2090-01-01T00:00:00Z' }],
  ])('is refused with 400 that names %s for %j', async (param, body) => {
    const response = await ask('POST', '/scheduled', body);
    expect({ status: response.status, param: response.error?.param }).toEqual({ status: 400, param });
  });
});

describe('a catalogue with an expected version', () => {
  const applyOver = (expectedVersion: number | null, catalogue: string) =>
    ask<Applied>('PUT', '', { catalogue, expectedVersion });
  const preview = async (catalogue: string) =>
    (await ask<Preview>('POST', '/preview', { catalogue })).body.version ?? Number.NaN;

  test('changes nothing if it was checked against an older version', async () => {
    const compared = await preview(yaml('0.25'));
    const { version } = (await apply(yaml('0.30'))).body;
    const prices = await pricesNow();
    const refused = await applyOver(compared, yaml('0.25'));
    expect(refused.status).toBe(409);
    expect(refused.error).toMatchObject({ code: 'catalogue_changed', param: 'expectedVersion' });
    expect(refused.error?.message).toStartWith(`Version ${version} of the catalogue is in effect now.`);
    expect(await pricesNow()).toEqual(prices);
    expect((await ask<Catalogue>('GET')).body.version).toBe(version);
    expect((await applyOver(await preview(yaml('0.25')), yaml('0.25'))).status).toBe(200);
  });

  test('is applied by only one of many operators who checked against the same version', async () => {
    const compared = await preview(yaml('0.30'));
    const responses = await Promise.all(
      ['0.31', '0.32', '0.33', '0.34'].map((price) => applyOver(compared, yaml(price))),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
    expect((await preview(yaml('0.30'))) - compared).toBe(1);
  });

  test('replaces no catalogue if it is expected to be the first one', async () => {
    expect((await applyOver(null, yaml('0.25'))).error?.code).toBe('catalogue_changed');
  });

  test.each([0, -1, 1.5, '5', {}])('is refused with 400 for %j', async (expectedVersion) => {
    const response = await ask('PUT', '', { catalogue: yaml('0.25'), expectedVersion });
    expect({ status: response.status, param: response.error?.param }).toEqual({
      status: 400,
      param: 'expectedVersion',
    });
  });
});

test('the response names the models that a catalogue removes', async () => {
  await apply(yaml('0.20'));
  const other = await apply(yaml('0.20').replace('id: demo/chat', 'id: demo/other'));
  expect(other.body.modelsRemoved).toEqual(['demo/chat']);
  expect((await apply(yaml('0.20'))).body.modelsRemoved).toEqual(['demo/other']);
});
