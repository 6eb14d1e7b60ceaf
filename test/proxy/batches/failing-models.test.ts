/** Models that fail lines of a batch: they keep no line of another model waiting, and are not asked for the same line all day. */
import { afterAll, expect, test } from 'bun:test';
import { guardTimeoutMs, readLedger, waitFor } from '../../harness/account-view.ts';
import { startGateway } from '../../harness/gateway.ts';
import { failWith, hang, wholeResponse } from '../../harness/providers/scripted-provider.ts';
import { clientOf, createBatch, endOf, linesOf, resultsOf, runToEnd } from '../../harness/storage/run-batch.ts';
import { openTestStore } from '../../harness/storage/stores.ts';

const model = (id: string, provider: string) => `
  - id: test/${id}
    kind: chat
    ownedBy: test
    contextTokens: 32768
    maxOutputTokens: 2048
    price: { prompt: "0.50", completion: "1.50" }
    deployments: [{ provider: ${provider}, model: ${id} }]`;
const catalogue = (baseUrl: string) => `
markup: "1"
providers:
  - { id: scripted, protocol: openai, baseUrl: "${baseUrl}" }
  - { id: hasty, protocol: openai, baseUrl: "${baseUrl}", timeouts: { headersMs: 1000, idleMs: 1000 } }
models:${model('well', 'scripted')}${model('away', 'scripted')}${model('slow', 'hasty')}`;

const place = await openTestStore('folder');
const { harness, provider, proxy, stop } = await startGateway({ catalogue, proxyEnvironment: place.environment });
afterAll(async () => {
  await stop();
  await place.remove();
});

provider.on('well', wholeResponse({ usage: { promptTokens: 10, completionTokens: 10 } }));
const body = (id: string) => ({ model: `test/${id}`, messages: [{ role: 'user', content: 'Hello!' }] });

async function newCustomer() {
  const customer = await harness.createCustomer({ usd: '10' });
  const client = clientOf(proxy, customer.proxyKey);
  await waitFor('the wallet', guardTimeoutMs, () => client.files.list().catch(() => undefined));
  return { customer, client };
}

test('a hundred lines of a model that is away keep no line of another model waiting', async () => {
  const { client } = await newCustomer();
  provider.on('away', failWith(503, 'later'));
  const lines = linesOf(105, (number) => body(number <= 100 ? 'away' : 'well'));
  const created = await createBatch(client, lines);
  await waitFor('the lines of the other model', guardTimeoutMs, async () => {
    const { request_counts: counts } = await client.batches.retrieve(created.id);
    return counts?.completed === 5;
  });
  provider.on('away', wholeResponse({ usage: { promptTokens: 10, completionTokens: 10 } }));
  await client.batches.cancel(created.id);
  const { output, errors } = await resultsOf(client, await endOf(client, created));
  expect(output.length + errors.length).toBe(105);
  expect(output.filter(({ custom_id: id }) => Number(id.slice('line-'.length)) > 100)).toHaveLength(5);
});

test('a line whose provider does not respond in time is sent three times, and fails free of charge', async () => {
  const { customer, client } = await newCustomer();
  provider.on('slow', hang);
  const before = provider.requests.length;
  const { batch, errors } = await runToEnd(
    client,
    linesOf(1, () => body('slow')),
  );
  expect(batch.request_counts).toEqual({ total: 1, completed: 0, failed: 1 });
  expect(errors[0]?.response).toMatchObject({ status_code: 502, body: { error: { code: 'upstream_timeout' } } });
  expect(provider.requests.length - before).toBe(3);
  expect((await readLedger(harness, customer.accountId)).spentNano).toBe(0n);
});
