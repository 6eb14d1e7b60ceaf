/** Batches whose storage fails for a moment. */
import { afterAll, afterEach, beforeEach, expect, test } from 'bun:test';
import { guardTimeoutMs, waitFor } from '../../harness/account-view.ts';
import { startGateway } from '../../harness/gateway.ts';
import { startBatchProvider } from '../../harness/providers/batch-provider.ts';
import { clientOf, createBatch, endOf, linesOf, resultsOf } from '../../harness/storage/run-batch.ts';
import { startS3Server } from '../../harness/storage/s3-server.ts';
import { filesSecret } from '../../harness/storage/stores.ts';

const bucket = startS3Server();
const batching = startBatchProvider('openai');
const { harness, proxy, stop } = await startGateway({
  catalogue: () => `
providers:
  - { id: batching, protocol: openai, baseUrl: "${batching.baseUrl}", apiKeyEnv: BATCHING_API_KEY }
models:
  - id: test/chat
    kind: chat
    ownedBy: test
    contextTokens: 32768
    maxOutputTokens: 1000
    price: { prompt: "1", completion: "4" }
    deployments: [{ provider: batching, model: upstream, batches: true }]
`,
  proxyEnvironment: { FILES_S3_URL: bucket.url, FILES_SECRET: filesSecret, BATCHING_API_KEY: 'sk-scripted' },
});

beforeEach(() => batching.reset());
afterEach(() => {
  bucket.instead = undefined;
});
afterAll(async () => {
  await stop();
  await Promise.all([bucket.stop(), batching.stop()]);
});

async function newCustomer() {
  const customer = await harness.createCustomer({ usd: '10' });
  const client = clientOf(proxy, customer.proxyKey);
  await waitFor('the wallet', guardTimeoutMs, () => client.files.list().catch(() => undefined));
  return { customer, client };
}

const body = (number: number, padding = '') => ({
  model: 'test/chat',
  messages: [{ role: 'user', content: `Line ${number} ${padding}` }],
});

/** The beginning of an object, after which the connection breaks at some time. */
function broken(object: Uint8Array, { bytes, breaks }: { readonly bytes: number; readonly breaks: Promise<void> }) {
  const content = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(object.slice(0, bytes));
    },
    async pull(controller) {
      await breaks;
      controller.error(new Error('the connection broke'));
    },
  });
  return new Response(content, { headers: { 'content-length': String(object.byteLength) } });
}

test('a read of the input that fails is repeated while lines are with their provider', async () => {
  const { client } = await newCustomer();
  batching.isDone = false;
  let reads = 0;
  const breaks = Promise.withResolvers<void>();
  bucket.instead = ({ method, key }) => {
    const object = bucket.objects.get(key);
    if (method !== 'GET' || !key.includes('/content/') || object === undefined) return undefined;
    reads += 1;
    // The first read checks the input.
    return reads === 2 ? broken(object, { bytes: 150_000, breaks: breaks.promise }) : undefined;
  };
  const created = await createBatch(
    client,
    linesOf(100, (number) => body(number, 'x'.repeat(4_000))),
  );
  const sent = () => batching.batches.flatMap(({ prompts }) => prompts).length;
  await waitFor('the first lines to be with their provider', guardTimeoutMs, async () => sent() > 0);
  expect(sent()).toBeLessThan(100);
  breaks.resolve();
  await waitFor('all of them', guardTimeoutMs, async () => sent() === 100);
  expect(reads).toBe(3);
  batching.isDone = true;
  const { output } = await resultsOf(client, await endOf(client, created));
  expect(output).toHaveLength(100);
  expect(batching.alone).toEqual([]);
});

const namesOf = (folder: string) => [...bucket.objects.keys()].filter((key) => key.startsWith(`gateway/${folder}/`));

test('a batch that exists is never answered with an error that would have it made again', async () => {
  const { client, customer } = await newCustomer();
  bucket.instead = ({ key, prefix }) =>
    [key, prefix].some((name) => /\/(terms|cancels)\//.test(name)) ? new Response(null, { status: 500 }) : undefined;
  const created = await createBatch(client, linesOf(1, body));
  expect(created).toMatchObject({ status: 'validating', request_counts: { total: 0, completed: 0, failed: 0 } });
  bucket.instead = undefined;
  expect((await client.batches.list()).data.map(({ id }) => id)).toEqual([created.id]);
  expect(namesOf(`batches/${customer.accountId}`)).toHaveLength(1);
  expect((await endOf(client, created)).status).toBe('completed');
});

test('a batch that could not be queued is refused, and not there', async () => {
  const { client, customer } = await newCustomer();
  bucket.instead = ({ method, key }) =>
    method === 'PUT' && key.includes('/queue/') ? new Response(null, { status: 500 }) : undefined;
  const error = await createBatch(client, linesOf(1, body)).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ status: 503, code: 'storage_unavailable' });
  bucket.instead = undefined;
  expect((await client.batches.list()).data).toEqual([]);
  expect(namesOf(`batches/${customer.accountId}`)).toEqual([]);
});
