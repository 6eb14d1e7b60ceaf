/**
 * Proxies die, leave and are replaced while a provider runs lines of a batch: the provider is asked once, and each line is answered
 * and charged once, or has failed and is free.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { guardTimeoutMs, waitFor } from '../harness/account-view.ts';
import { inCampaign } from '../harness/campaigns.ts';
import type { Program, Served } from '../harness/programs.ts';
import { programsOfTest } from '../harness/programs-of-test.ts';
import { startBatchProvider } from '../harness/providers/batch-provider.ts';
import { readMetric } from '../harness/read-metric.ts';
import { ageLease, endHolds, expectExactlyOnce } from '../harness/storage/exactly-once.ts';
import { clientOf, createBatch, endOf, linesOf, resultsOf } from '../harness/storage/run-batch.ts';
import { openTestStore } from '../harness/storage/stores.ts';
import { type Harness, startHarness } from '../harness.ts';

const folder = await openTestStore('folder');
const environment = { ...folder.environment, BATCHING_API_KEY: 'sk-scripted' };
const provider = startBatchProvider('openai');
let harness: Harness;
const start = programsOfTest();

beforeAll(async () => {
  harness = await startHarness();
  await harness.applyCatalogue(`
providers:
  - { id: batching, protocol: openai, baseUrl: "${provider.baseUrl}", apiKeyEnv: BATCHING_API_KEY }
models:
  - id: test/chat
    kind: chat
    ownedBy: test
    contextTokens: 32768
    maxOutputTokens: 1000
    price: { prompt: "1", completion: "4" }
    deployments: [{ provider: batching, model: upstream, batches: true }]
`);
  await harness.openAdmin();
});
beforeEach(() => {
  provider.reset();
  // Each line has a cost of its own, by which a charge of another line, or of another response, would be noticed.
  provider.fateOf = (prompt) => {
    const number = Number(prompt.slice('Line '.length));
    return number % 10 === 0
      ? { kind: 'refused' }
      : { kind: 'answered', promptTokens: number, completionTokens: number };
  };
  provider.isDone = false;
});
afterAll(async () => {
  await harness.stop();
  await Promise.all([provider.stop(), folder.remove()]);
});

/** One that can be killed. */
const startProxy = () => start(harness.startProxy(environment));
const openProxy = () => start(harness.openProxy(environment));

const body = (number: number) => ({ model: 'test/chat', messages: [{ role: 'user', content: `Line ${number}` }] });
const lines = 100;
const kills = inCampaign(1, 3);
/** About as long as the responses of a batch take to be stored. */
const storingMs = 100;

async function beginBatch(proxy: Served, usd = '10') {
  const customer = await harness.createCustomer({ usd });
  const client = clientOf(proxy, customer.proxyKey);
  await waitFor('the wallet', guardTimeoutMs, () => client.files.list().catch(() => undefined));
  const { id } = await createBatch(client, linesOf(lines, body));
  await waitFor('all lines at the provider', guardTimeoutMs, async () => {
    const prompts = provider.batches.flatMap((batch) => batch.prompts);
    const written = await readdir(join(folder.environment.FILES_DIR ?? '', 'sent', id)).catch(() => []);
    return prompts.length === lines && written.length > 0;
  });
  return { customer, id };
}

/** Returns the results once it has shown that no line was sent twice. */
async function resultsAt(proxy: Served, proxyKey: string, id: string) {
  const last = clientOf(proxy, proxyKey);
  const results = await resultsOf(last, await endOf(last, { id }));
  const prompts = provider.batches.flatMap((batch) => batch.prompts);
  expect(prompts.length).toBe(new Set(prompts).size);
  expect(provider.alone).toEqual([]);
  expect([...provider.kept]).toEqual([]);
  return results;
}

async function nextHasTaken(id: string) {
  const { redis } = harness;
  await waitFor('the next proxy', guardTimeoutMs, async () => (await redis.hget(`batch:${id}`, 'from')) !== '0');
}

/** Kills proxies one after the other, each soon after it has read results. Returns the one that may live. */
async function killWhileStoring(first: Program, id: string): Promise<Served> {
  let [proxy, reads] = [first, 0];
  for (let kill = 1; ; kill += 1) {
    await waitFor(
      'results to be read, or all to be stored',
      guardTimeoutMs,
      async () => provider.reads > reads || provider.kept.size === 0,
    );
    await Bun.sleep(Math.random() * storingMs);
    await proxy.kill();
    await ageLease(harness, id);
    if (kill === kills) return openProxy();
    reads = provider.reads;
    proxy = await startProxy();
  }
}

test('the proxy is killed: the next one waits for the same batch of the provider', async () => {
  const proxy = await startProxy();
  const { customer, id } = await beginBatch(proxy);
  await proxy.kill();
  await ageLease(harness, id);
  const next = await openProxy();
  // The holds of the killed proxy are still there beside those of the next one.
  await nextHasTaken(id);
  provider.isDone = true;
  const results = await resultsAt(next, customer.proxyKey, id);
  expect(results.output).toHaveLength(lines - lines / 10);
  await expectExactlyOnce(harness, customer, { lines, results });
});

test('the proxy leaves, as when it is updated: the next one continues at the same moment', async () => {
  const proxy = await startProxy();
  const { customer, id } = await beginBatch(proxy);
  const next = await openProxy();
  await proxy.stop();
  provider.isDone = true;
  const results = await resultsAt(next, customer.proxyKey, id);
  expect(results.output).toHaveLength(lines - lines / 10);
  await expectExactlyOnce(harness, customer, { lines, results });
});

test('the proxy is killed while responses are being stored (campaign)', async () => {
  const proxy = await startProxy();
  const { customer, id } = await beginBatch(proxy);
  provider.isDone = true;
  const next = await killWhileStoring(proxy, id);
  const last = clientOf(next, customer.proxyKey);
  const results = await resultsOf(last, await endOf(last, { id }));
  await expectExactlyOnce(harness, customer, { lines, results });
});

test('Redis is restarted: lines wait again, for the same batch', async () => {
  const proxy = await openProxy();
  const { customer, id } = await beginBatch(proxy);
  await harness.restartRedis(async () => {});
  provider.isDone = true;
  const results = await resultsAt(proxy, customer.proxyKey, id);
  await expectExactlyOnce(harness, customer, { lines, results });
});

test('what the provider failed to remove is removed by the next proxy that starts', async () => {
  const proxy = await openProxy();
  const { customer, id } = await beginBatch(proxy);
  [provider.isDone, provider.keepsAll] = [true, true];
  const client = clientOf(proxy, customer.proxyKey);
  const results = await resultsOf(client, await endOf(client, { id }));
  expect(provider.kept.size).toBeGreaterThan(0);
  provider.keepsAll = false;
  await openProxy();
  await waitFor('nothing at the provider', guardTimeoutMs, async () => provider.kept.size === 0);
  await expectExactlyOnce(harness, customer, { lines, results });
});

describe('a batch that its client cancels', () => {
  const isRun = (number: number) => number % 3 !== 0;

  beforeEach(() => {
    const { fateOf } = provider;
    provider.fateOf = (prompt) => (isRun(Number(prompt.slice('Line '.length))) ? fateOf(prompt) : { kind: 'missing' });
  });

  /** The lines that were run have their responses, and are charged; the others fail, and are free. */
  async function expectCancelled(proxy: Served, { customer, id }: Awaited<ReturnType<typeof beginBatch>>) {
    const results = await resultsAt(proxy, customer.proxyKey, id);
    expect(results.batch.status).toBe('cancelled');
    expect(provider.batches.map(({ status }) => status)).toEqual(provider.batches.map(() => 'cancelled'));
    const expected = Array.from({ length: lines }, (_, index) => index + 1).map((number) => [
      `line-${number}`,
      isRun(number) ? (number % 10 === 0 ? 400 : 200) : 'batch_cancelled',
    ]);
    const found = [...results.output, ...results.errors].map(({ custom_id: line, response, error }) => [
      line,
      response?.status_code ?? error?.code,
    ]);
    expect(Object.fromEntries(found)).toEqual(Object.fromEntries(expected));
    await expectExactlyOnce(harness, customer, { lines, results });
  }

  test('is cancelled at the provider by the next proxy if its own is killed before that', async () => {
    const proxy = await startProxy();
    const begun = await beginBatch(proxy);
    process.kill(proxy.pid, 'SIGSTOP');
    const next = await openProxy();
    await clientOf(next, begun.customer.proxyKey).batches.cancel(begun.id);
    await proxy.kill();
    expect(provider.batches.map(({ status }) => status)).toEqual(provider.batches.map(() => 'running'));
    await ageLease(harness, begun.id);
    await expectCancelled(next, begun);
  });

  test('is read by the next proxy if its own is killed while the provider cancels it', async () => {
    const proxy = await startProxy();
    const begun = await beginBatch(proxy);
    provider.isCancelDone = false;
    await clientOf(proxy, begun.customer.proxyKey).batches.cancel(begun.id);
    await waitFor('the cancel', guardTimeoutMs, async () =>
      provider.batches.every(({ status }) => status === 'cancelling'),
    );
    await proxy.kill();
    await ageLease(harness, begun.id);
    const next = await openProxy();
    await nextHasTaken(begun.id);
    provider.isCancelDone = true;
    await expectCancelled(next, begun);
  });

  test('is read to its end however often its proxy is killed while responses are stored (campaign)', async () => {
    const proxy = await startProxy();
    const begun = await beginBatch(proxy);
    await clientOf(proxy, begun.customer.proxyKey).batches.cancel(begun.id);
    await expectCancelled(await killWhileStoring(proxy, begun.id), begun);
  });

  test('is read once the holds of the killed proxy have ended if the balance covers no others', async () => {
    const proxy = await startProxy();
    const begun = await beginBatch(proxy, '0.5');
    await clientOf(proxy, begun.customer.proxyKey).batches.cancel(begun.id);
    await proxy.kill();
    await ageLease(harness, begun.id);
    const next = await openProxy();
    const postponed = () => readMetric(next, 'gateway_batch_lines_total{outcome="postponed"}');
    await waitFor('lines that are tried again later', guardTimeoutMs, async () => (await postponed()) > 0);
    await endHolds(harness, begun.customer);
    await expectCancelled(next, begun);
  });

  test('is handed over by a proxy that shuts down while the provider cancels it', async () => {
    const proxy = await openProxy();
    const begun = await beginBatch(proxy);
    provider.isCancelDone = false;
    await clientOf(proxy, begun.customer.proxyKey).batches.cancel(begun.id);
    await waitFor('the cancel', guardTimeoutMs, async () =>
      provider.batches.every(({ status }) => status === 'cancelling'),
    );
    const next = await openProxy();
    await proxy.stop();
    provider.isCancelDone = true;
    await expectCancelled(next, begun);
  });
});
