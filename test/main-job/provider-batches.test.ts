/**
 * Proxies die, leave and are replaced while a provider runs lines of a batch: the provider is asked once, and each line is answered
 * and charged once, or has failed and is free.
 */
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { guardTimeoutMs, waitFor } from '../harness/account-view.ts';
import { type Gateway, startProxyProgram } from '../harness/gateway.ts';
import type { Program } from '../harness/programs.ts';
import { type BatchProvider, startBatchProvider } from '../harness/providers/batch-provider.ts';
import { ageLease, endHolds, expectExactlyOnce } from '../harness/storage/exactly-once.ts';
import { clientOf, createBatch, endOf, linesOf, resultsOf } from '../harness/storage/run-batch.ts';
import { openTestStore } from '../harness/storage/stores.ts';

const folder = await openTestStore('folder');
const environment = { ...folder.environment, BATCHING_API_KEY: 'sk-scripted' };
let provider: BatchProvider;
let gateway: Gateway<Program>;

beforeEach(async () => {
  provider = startBatchProvider('openai');
  // Each line has a cost of its own, by which a charge of another line, or of another response, would be noticed.
  provider.fateOf = (prompt) => {
    const number = Number(prompt.slice('Line '.length));
    return number % 10 === 0
      ? { kind: 'refused' }
      : { kind: 'answered', promptTokens: number, completionTokens: number };
  };
  provider.isDone = false;
  gateway = await startProxyProgram({
    proxyEnvironment: environment,
    catalogue: () => `
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
`,
  });
});
afterEach(async () => {
  await gateway.stop();
  await provider.stop();
});
afterAll(() => folder.remove());

const body = (number: number) => ({ model: 'test/chat', messages: [{ role: 'user', content: `Line ${number}` }] });
const lines = 300;

async function beginBatch(usd = '10') {
  const customer = await gateway.harness.createCustomer({ usd });
  const client = clientOf(gateway.proxy, customer.proxyKey);
  await waitFor('the wallet', guardTimeoutMs, () => client.files.list().catch(() => undefined));
  const { id } = await createBatch(client, linesOf(lines, body));
  await waitFor('all lines at the provider', guardTimeoutMs, async () => {
    const prompts = provider.batches.flatMap((batch) => batch.prompts);
    const isWritten = [...(await folder.bytesAtRest()).keys()].some((name) => name.startsWith(`sent/${id}/`));
    return prompts.length === lines && isWritten;
  });
  return { customer, id };
}

/** Returns the results once it has shown that no line was sent twice. */
async function resultsAt(proxy: Program, proxyKey: string, id: string) {
  const last = clientOf(proxy, proxyKey);
  const results = await resultsOf(last, await endOf(last, { id }));
  const prompts = provider.batches.flatMap((batch) => batch.prompts);
  expect(prompts.length).toBe(new Set(prompts).size);
  expect(provider.alone).toEqual([]);
  expect([...provider.kept]).toEqual([]);
  return results;
}

async function nextHasTaken(id: string) {
  const { redis } = gateway.harness;
  await waitFor('the next proxy', guardTimeoutMs, async () => (await redis.hget(`batch:${id}`, 'from')) !== '0');
}

test('the proxy is killed: the next one waits for the same batch of the provider', async () => {
  const { harness, proxy } = gateway;
  const { customer, id } = await beginBatch();
  await proxy.kill();
  await ageLease(harness, id);
  const next = await harness.startProxy(environment);
  // The holds of the killed proxy are still there beside those of the next one.
  await nextHasTaken(id);
  provider.isDone = true;
  const results = await resultsAt(next, customer.proxyKey, id);
  expect(results.output).toHaveLength(lines - lines / 10);
  await expectExactlyOnce(harness, customer, { lines, results });
});

test('the proxy leaves, as when it is updated: the next one continues at the same moment', async () => {
  const { harness, proxy } = gateway;
  const { customer, id } = await beginBatch();
  const next = await harness.startProxy(environment);
  await proxy.stop();
  provider.isDone = true;
  const results = await resultsAt(next, customer.proxyKey, id);
  expect(results.output).toHaveLength(lines - lines / 10);
  await expectExactlyOnce(harness, customer, { lines, results });
});

test('the proxy is killed while responses are being stored', async () => {
  const { harness } = gateway;
  let { proxy } = gateway;
  const { customer, id } = await beginBatch();
  provider.isDone = true;
  for (let kill = 0; kill < 3; kill += 1) {
    await Bun.sleep(Math.random() * 3_000);
    await proxy.kill();
    await ageLease(harness, id);
    proxy = await harness.startProxy(environment);
  }
  const last = clientOf(proxy, customer.proxyKey);
  const results = await resultsOf(last, await endOf(last, { id }));
  await expectExactlyOnce(harness, customer, { lines, results });
});

test('Redis is restarted: lines wait again, for the same batch', async () => {
  const { harness, proxy } = gateway;
  const { customer, id } = await beginBatch();
  await harness.restartRedis(async () => {});
  provider.isDone = true;
  const results = await resultsAt(proxy, customer.proxyKey, id);
  await expectExactlyOnce(harness, customer, { lines, results });
});

test('what the provider failed to remove is removed by the next proxy that starts', async () => {
  const { harness, proxy } = gateway;
  const { customer, id } = await beginBatch();
  [provider.isDone, provider.keepsAll] = [true, true];
  const client = clientOf(proxy, customer.proxyKey);
  const results = await resultsOf(client, await endOf(client, { id }));
  expect(provider.kept.size).toBeGreaterThan(0);
  provider.keepsAll = false;
  await harness.startProxy(environment);
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
  async function expectCancelled(proxy: Program, { customer, id }: Awaited<ReturnType<typeof beginBatch>>) {
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
    await expectExactlyOnce(gateway.harness, customer, { lines, results });
  }

  test('is cancelled at the provider by the next proxy if its own is killed before that', async () => {
    const { harness, proxy } = gateway;
    const begun = await beginBatch();
    process.kill(proxy.pid, 'SIGSTOP');
    const next = await harness.startProxy(environment);
    await clientOf(next, begun.customer.proxyKey).batches.cancel(begun.id);
    await proxy.kill();
    expect(provider.batches.map(({ status }) => status)).toEqual(provider.batches.map(() => 'running'));
    await ageLease(harness, begun.id);
    await expectCancelled(next, begun);
  });

  test('is read by the next proxy if its own is killed while the provider cancels it', async () => {
    const { harness, proxy } = gateway;
    const begun = await beginBatch();
    provider.isCancelDone = false;
    await clientOf(proxy, begun.customer.proxyKey).batches.cancel(begun.id);
    await waitFor('the cancel', guardTimeoutMs, async () =>
      provider.batches.every(({ status }) => status === 'cancelling'),
    );
    await proxy.kill();
    await ageLease(harness, begun.id);
    const next = await harness.startProxy(environment);
    await nextHasTaken(begun.id);
    provider.isCancelDone = true;
    await expectCancelled(next, begun);
  });

  test('is read to its end however often its proxy is killed while responses are stored', async () => {
    const { harness } = gateway;
    let { proxy } = gateway;
    const begun = await beginBatch();
    await clientOf(proxy, begun.customer.proxyKey).batches.cancel(begun.id);
    await waitFor('the cancel', guardTimeoutMs, async () =>
      provider.batches.every(({ status }) => status === 'cancelled'),
    );
    for (let kill = 0; kill < 3; kill += 1) {
      await Bun.sleep(Math.random() * 2_000);
      await proxy.kill();
      await ageLease(harness, begun.id);
      proxy = await harness.startProxy(environment);
    }
    await expectCancelled(proxy, begun);
  });

  test('is read once the holds of the killed proxy have ended if the balance covers no others', async () => {
    const { harness, proxy } = gateway;
    const begun = await beginBatch('1.5');
    await clientOf(proxy, begun.customer.proxyKey).batches.cancel(begun.id);
    await proxy.kill();
    await ageLease(harness, begun.id);
    const next = await harness.startProxy(environment);
    await waitFor('lines that are tried again later', guardTimeoutMs, async () => {
      const text = await (await fetch(`${next.url}/metrics`)).text();
      return Number(/^gateway_batch_lines_total\{outcome="postponed"\} (\d+)$/m.exec(text)?.[1] ?? 0) > 0;
    });
    await endHolds(harness, begun.customer);
    await expectCancelled(next, begun);
  });

  test('is handed over by a proxy that shuts down while the provider cancels it', async () => {
    const { harness, proxy } = gateway;
    const begun = await beginBatch();
    provider.isCancelDone = false;
    await clientOf(proxy, begun.customer.proxyKey).batches.cancel(begun.id);
    await waitFor('the cancel', guardTimeoutMs, async () =>
      provider.batches.every(({ status }) => status === 'cancelling'),
    );
    const next = await harness.startProxy(environment);
    await proxy.stop();
    provider.isCancelDone = true;
    await expectCancelled(next, begun);
  });
});
