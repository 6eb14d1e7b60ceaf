/** The published catalogue is the newest one, even if several admins publish concurrently. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { keepCataloguePublished } from '../../../admin/catalogue/publish-catalogue.ts';
import { readCatalogueFile } from '../../../admin/catalogue/read-catalogue-file.ts';
import { scheduleCatalogue } from '../../../admin/catalogue/schedule-catalogue.ts';
import {
  catalogueFields,
  catalogueKey,
  decodeCatalogue,
  type PublishedCatalogue,
} from '../../../shared/catalogue/published-catalogue.ts';
import { parseRubPerUsd } from '../../../shared/money.ts';
import type { RedisClient } from '../../../shared/redis/connect.ts';
import { testCatalogue } from '../../harness/providers/test-catalogue.ts';
import { type Harness, startHarness } from '../../harness.ts';

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness();
});
afterAll(() => harness.stop());
beforeEach(async () => {
  await harness.redis.del(catalogueKey);
  await harness.applyCatalogue(testCatalogue('http://127.0.0.1:1'));
});

const rate = { rubPerUsd: parseRubPerUsd('90'), date: null, source: 'configured' } as const;
const publish = (redis = harness.redis) => keepCataloguePublished({ database: harness.database, redis, rate });
const publishedRevision = () => harness.redis.hget(catalogueKey, catalogueFields.revision);
const publishedAddress = async () => {
  const document = await harness.redis.hget(catalogueKey, catalogueFields.document);
  const { providers }: PublishedCatalogue = decodeCatalogue(document ?? '');
  return providers[0]?.baseUrl;
};

/** The same Redis, which announces each script before it runs, and waits for permission to run it. */
function slowRedis(mayRun: Promise<void>) {
  const { promise: sent, resolve } = Promise.withResolvers<void>();
  const redis = new Proxy(harness.redis, {
    get: (client, name) => {
      if (name !== 'eval') return Reflect.get(client, name).bind(client);
      return async (...call: Parameters<RedisClient['eval']>) => {
        resolve();
        await mayRun;
        return client.eval(...call);
      };
    },
  });
  return { redis, sent };
}

test('a slow admin does not replace a newer catalogue with its older one', async () => {
  const { promise: mayRun, resolve: run } = Promise.withResolvers<void>();
  const { redis, sent } = slowRedis(mayRun);
  const slow = publish(redis);
  await sent;
  await harness.applyCatalogue(testCatalogue('http://127.0.0.1:2'));
  const newest = await publish();
  run();
  expect(await slow).toBeLessThan(newest ?? 0);
  expect(await publishedRevision()).toStartWith(`${newest}@`);
  expect(await publishedAddress()).toBe('http://127.0.0.1:2');
});

test('a scheduled catalogue is applied once and published in the step that finds it due', async () => {
  const reading = readCatalogueFile(testCatalogue('http://127.0.0.1:3'));
  if (!reading.ok) throw new Error(reading.problems.join());
  const before = await publish();
  const soon = { file: reading.file, effectiveFrom: new Date(Date.now() + 3_600_000) };
  await scheduleCatalogue(harness.database.db, { name: 'test', userId: null, address: null, requestId: null }, soon);
  expect(await publish()).toBe(before);
  await harness.database.sql`UPDATE scheduled_catalogues SET effective_from = now() - interval '1 second'`;
  const versions = await Promise.all([1, 2, 3, 4].map(() => publish()));
  expect(Math.max(...versions.map(Number))).toBe((before ?? 0) + 1);
  expect(await publish()).toBe((before ?? 0) + 1);
  expect(await publishedAddress()).toBe('http://127.0.0.1:3');
});

test('a scheduled catalogue that cannot be applied is reported, and the newest one is still published', async () => {
  const before = await publish();
  // Files are checked when they are scheduled; a version before checked less.
  const file = {
    providers: [],
    models: [{ id: 'test/enormous', kind: 'embedding', ownedBy: 'test', contextTokens: 1, deployments: [] }].map(
      (model) => ({ ...model, markup: '9999', price: { prompt: '999999999' } }),
    ),
  };
  const { sql } = harness.database;
  const [scheduled] = await sql<{ id: string }[]>`
    INSERT INTO scheduled_catalogues (file, effective_from) VALUES (${sql.json(file)}, now()) RETURNING id`;
  await harness.redis.del(catalogueKey);
  await expect(publish()).rejects.toThrow('a scheduled catalogue cannot be applied');
  expect(await publishedRevision()).toBe(`${before}@90@configured`);
  await sql`UPDATE scheduled_catalogues SET state = 'cancelled' WHERE id = ${scheduled?.id ?? ''}`;
  expect(await publish()).toBe(before);
});

test('a catalogue that Postgres does not know, as after a restore, is replaced', async () => {
  const unknown = { [catalogueFields.revision]: '1000000@90@configured', [catalogueFields.document]: '{}' };
  await harness.redis.hset(catalogueKey, unknown);
  const version = await publish();
  expect(await publishedRevision()).toBe(`${version}@90@configured`);
  expect(await publishedAddress()).toBe('http://127.0.0.1:1');
});

test('many concurrent admins leave the newest catalogue published', async () => {
  for (let port = 2; port < 10; port += 1) {
    const publishing = [publish(), publish()];
    await harness.applyCatalogue(testCatalogue(`http://127.0.0.1:${port}`));
    await Promise.all([...publishing, publish()]);
    await publish();
    expect(await publishedAddress()).toBe(`http://127.0.0.1:${port}`);
  }
});

test('deployments of images, Gemini and Bedrock, which bill aborted requests, drain by default', async () => {
  const address = 'http://127.0.0.1:1';
  const model = (id: string, rest: string) => `
  - { id: test/${id}, ownedBy: test, contextTokens: 1, ${rest} }`;
  const chat = 'kind: chat, maxOutputTokens: 1, price: { prompt: "1", completion: "1" }';
  const image = 'kind: image, price: { images: [{ size: default, quality: default, priceUsd: "1" }] }';
  await harness.applyCatalogue(`
providers:
  - { id: openai, protocol: openai, baseUrl: "${address}" }
  - { id: gemini, protocol: gemini, baseUrl: "${address}" }
  - { id: bedrock, protocol: bedrock, baseUrl: "${address}" }
models:${model('chat', `${chat}, deployments: [{ provider: openai, model: m }]`)}
${model('gemini', `${chat}, deployments: [{ provider: gemini, model: m }, { provider: openai, model: m }]`)}
${model('bedrock', `${chat}, deployments: [{ provider: bedrock, model: m }]`)}
${model('image', `${image}, deployments: [{ provider: openai, model: m }]`)}
${model('chosen', `${image}, deployments: [{ provider: openai, model: m, onDisconnect: abort }]`)}
`);
  await publish();
  const { models } = decodeCatalogue((await harness.redis.hget(catalogueKey, catalogueFields.document)) ?? '');
  const choices = models.map(({ id, deployments }) => [id, deployments.map(({ onDisconnect }) => onDisconnect)]);
  expect(Object.fromEntries(choices)).toEqual({
    'test/chat': ['abort'],
    'test/gemini': ['drain', 'abort'],
    'test/bedrock': ['drain'],
    'test/image': ['drain'],
    'test/chosen': ['abort'],
  });
});

test('what a chat takes and when it retires are published', async () => {
  const yaml = testCatalogue('http://127.0.0.1:1').replace(
    'kind: chat',
    'kind: chat\n    inputModalities: [text, image]\n    retiresAt: "2030-06-30"',
  );
  await harness.applyCatalogue(yaml);
  await publish();
  const { models } = decodeCatalogue((await harness.redis.hget(catalogueKey, catalogueFields.document)) ?? '');
  expect(models[0]).toMatchObject({ inputModalities: ['text', 'image'], retiresAt: '2030-06-30' });
  expect(models[1]).not.toContainAnyKeys(['inputModalities', 'retiresAt']);
});

test('a model names every price that a proxy has to know to serve it', async () => {
  const price = 'prompt: "1", completion: "2"';
  const model = (id: string, rest: string, kind = 'chat') => `
  - { id: test/${id}, kind: ${kind}, ownedBy: test, contextTokens: 9, maxOutputTokens: 1, deployments: [{ provider: p, model: m }], ${rest} }`;
  await harness.applyCatalogue(`
providers:
  - { id: p, protocol: openai, baseUrl: "http://127.0.0.1:1" }
models:${model('plain', `price: { ${price} }`)}
${model('follows', `price: { ${price}, audioPrompt: "1" }`)}
${model('hears', `price: { ${price}, audioPrompt: "3" }`)}
${model('speaks', `price: { ${price}, audioCompletion: "3", request: "1" }`)}
${model('batched', `price: { ${price} }, batchDiscount: "0.25"`)}
${model('ranks', 'price: { search: "1" }', 'rerank')}
`);
  await publish();
  const document = JSON.parse((await harness.redis.hget(catalogueKey, catalogueFields.document)) ?? '');
  const kinds = document.models.map(({ id, kind }: { id: string; kind: string }) => [id, kind]);
  expect(Object.fromEntries(kinds)).toEqual({
    'test/plain': 'chat',
    'test/follows': 'chat',
    'test/hears': 'chat+audioPrompt',
    'test/speaks': 'chat+request+audioCompletion',
    'test/batched': 'chat+rates+batch',
    'test/ranks': 'rerank+search',
  });
  const { models, leftOut } = decodeCatalogue(JSON.stringify(document));
  expect([models.length, leftOut]).toEqual([6, []]);
  expect(models.find(({ id }) => id === 'test/batched')?.rates).toMatchObject([
    { tier: 'batch', above: 0, promptPico: '250000', completionPico: '500000' },
  ]);
});
