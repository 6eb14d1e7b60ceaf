/**
 * Batches whose programs and stores die in the middle: each line is answered and charged once, or has failed and is free; and what
 * the output says is what was charged.
 */
import { afterAll, beforeAll, test } from 'bun:test';
import { guardTimeoutMs, waitFor } from '../harness/account-view.ts';
import { inCampaign } from '../harness/campaigns.ts';
import type { Served } from '../harness/programs.ts';
import { programsOfTest } from '../harness/programs-of-test.ts';
import { startScriptedProvider, wholeResponse } from '../harness/providers/scripted-provider.ts';
import { testCatalogue } from '../harness/providers/test-catalogue.ts';
import { ageLease, expectExactlyOnce } from '../harness/storage/exactly-once.ts';
import { clientOf, createBatch, endOf, linesOf, resultsOf } from '../harness/storage/run-batch.ts';
import { startS3Server } from '../harness/storage/s3-server.ts';
import { filesSecret, openTestStore } from '../harness/storage/stores.ts';
import { type Harness, startHarness } from '../harness.ts';

const folder = await openTestStore('folder');
const provider = startScriptedProvider();
let harness: Harness;
const start = programsOfTest();

beforeAll(async () => {
  harness = await startHarness();
  await harness.applyCatalogue(testCatalogue(provider.baseUrl));
});
afterAll(async () => {
  await harness.stop();
  await Promise.all([provider.stop(), folder.remove()]);
});

const body = (number: number) => ({ model: 'test/chat', messages: [{ role: 'user', content: `Line ${number}` }] });

const kills = inCampaign(1, 4);
const killedLines = 150 * kills;

/** Each line has a cost of its own, by which a charge of another line, or of another response, would be noticed. */
function answerSlowly(delayMs: number) {
  provider.on('upstream-chat', (truth, request) => {
    const completionTokens = 1 + Math.floor(Math.random() * 1_000);
    return wholeResponse({ usage: { promptTokens: 10, completionTokens }, delayMs })(truth, request);
  });
}

async function newCustomer(proxy: Served) {
  const customer = await harness.createCustomer({ usd: '10' });
  const client = clientOf(proxy, customer.proxyKey);
  await waitFor('the wallet', guardTimeoutMs, () => client.files.list().catch(() => undefined));
  return { customer, client };
}

const progressOf = async (client: ReturnType<typeof clientOf>, id: string) =>
  (await client.batches.retrieve(id).catch(() => undefined))?.request_counts?.completed ?? 0;

test('a proxy is killed again and again in the middle of a batch (campaign)', async () => {
  await start(harness.openAdmin());
  answerSlowly(250);
  let proxy = await start(harness.startProxy(folder.environment));
  const { customer, client } = await newCustomer(proxy);
  const { id } = await createBatch(client, linesOf(killedLines, body));
  for (let kill = 0; kill < kills; kill += 1) {
    const running = clientOf(proxy, customer.proxyKey);
    const before = await progressOf(running, id);
    await waitFor('some lines', guardTimeoutMs, async () => (await progressOf(running, id)) > before);
    await Bun.sleep(Math.random() * 400);
    await proxy.kill();
    await ageLease(harness, id);
    proxy = await start(harness.startProxy(folder.environment));
  }
  const last = clientOf(proxy, customer.proxyKey);
  await expectExactlyOnce(harness, customer, {
    lines: killedLines,
    results: await resultsOf(last, await endOf(last, { id })),
  });
});

// It takes the minute for which a proxy keeps a batch.
test.skipIf(inCampaign(true, false))(
  'a frozen proxy loses its batch, and decides nothing of it once it goes on (campaign)',
  async () => {
    await start(harness.openAdmin());
    const proxy = await start(harness.startProxy(folder.environment));
    answerSlowly(250);
    const { customer, client } = await newCustomer(proxy);
    const { id } = await createBatch(client, linesOf(400, body));
    await waitFor('some lines', guardTimeoutMs, async () => (await progressOf(client, id)) > 0);
    process.kill(proxy.pid, 'SIGSTOP');
    const other = await start(harness.openProxy(folder.environment));
    const watching = clientOf(other, customer.proxyKey);
    const before = await progressOf(watching, id);
    await waitFor('the other proxy', guardTimeoutMs, async () => (await progressOf(watching, id)) > before);
    process.kill(proxy.pid, 'SIGCONT');
    await expectExactlyOnce(harness, customer, {
      lines: 400,
      results: await resultsOf(watching, await endOf(watching, { id })),
    });
  },
);

test('Redis is restarted, admin is killed, and the proxy with it', async () => {
  const admin = await start(harness.startAdmin());
  answerSlowly(250);
  const proxy = await start(harness.startProxy(folder.environment));
  const { customer, client } = await newCustomer(proxy);
  const { id } = await createBatch(client, linesOf(150, body));
  await waitFor('some lines', guardTimeoutMs, async () => (await progressOf(client, id)) > 0);
  await admin.kill();
  await harness.restartRedis(async () => {
    await proxy.kill();
  });
  await start(harness.openAdmin());
  const last = clientOf(await start(harness.openProxy(folder.environment)), customer.proxyKey);
  // The new Redis does not say who had the batch, so it may be run only after a minute.
  await waitFor('the batch to be taken', guardTimeoutMs, async () => (await harness.redis.exists(`batch:${id}`)) === 1);
  await waitFor('the lease', guardTimeoutMs, async () => {
    const identity = /run_id:(\w+)/.exec(await harness.redis.info('server'))?.[1];
    return (await harness.redis.hget(`batch:${id}`, 'identity')) === identity;
  });
  await harness.redis.hset(`batch:${id}`, 'from', 0);
  await expectExactlyOnce(harness, customer, {
    lines: 150,
    results: await resultsOf(last, await endOf(last, { id })),
  });
});

test('the storage is full in the middle, and has room again later', async () => {
  await start(harness.openAdmin());
  const bucket = startS3Server();
  try {
    answerSlowly(20);
    const proxy = await start(harness.openProxy({ FILES_S3_URL: bucket.url, FILES_SECRET: filesSecret }));
    const { customer, client } = await newCustomer(proxy);
    const { id } = await createBatch(client, linesOf(150, body));
    await waitFor('some lines', guardTimeoutMs, async () => (await progressOf(client, id)) > 0);
    bucket.failWith = 507;
    await Bun.sleep(1_500);
    bucket.failWith = undefined;
    await expectExactlyOnce(harness, customer, {
      lines: 150,
      results: await resultsOf(client, await endOf(client, { id })),
    });
  } finally {
    await bucket.stop();
  }
});
