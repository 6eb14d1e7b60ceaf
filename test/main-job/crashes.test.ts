/** Programs killed at the worst moment: nothing is lost, nothing is charged twice. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { shardOfAccount } from '../../shared/wallet/shard.ts';
import { guardTimeoutMs, readLedger, waitFor } from '../harness/account-view.ts';
import { readHolding, violationsAtRest } from '../harness/books.ts';
import { chat } from '../harness/clients/chat.ts';
import type { Customer } from '../harness/customers.ts';
import type { Served } from '../harness/programs.ts';
import { programsOfTest } from '../harness/programs-of-test.ts';
import {
  type ScriptedProvider,
  startScriptedProvider,
  streamedResponse,
  wholeResponse,
} from '../harness/providers/scripted-provider.ts';
import { testCatalogue } from '../harness/providers/test-catalogue.ts';
import { expireDue } from '../harness/wallet/shard-state.ts';
import { type Harness, startHarness } from '../harness.ts';

let harness: Harness;
let provider: ScriptedProvider;
const start = programsOfTest();

beforeAll(async () => {
  harness = await startHarness();
  provider = startScriptedProvider();
  await harness.applyCatalogue(testCatalogue(provider.baseUrl));
});
afterAll(async () => {
  await provider.stop();
  await harness.stop();
});

const request = { model: 'test/priced-output', max_tokens: 100 };
/** 100 tokens at 10 micro-dollars. */
const costNano = 1_000_000n;

/** Moves an account's holds past their deadline, as ninety seconds would. Returns how many there are, leases among them. */
async function ageHolds(customer: Customer): Promise<number> {
  const holds = `{s${shardOfAccount(customer.accountId)}}:holds`;
  const ids = await harness.redis.zrange(holds, '0', '-1');
  for (const id of ids) await harness.redis.zadd(holds, 1, id);
  return ids.length;
}

interface Spent {
  readonly customer: Customer;
  readonly nano: bigint;
}

async function waitForSpent({ customer, nano }: Spent): Promise<void> {
  await waitFor(`a charge of ${nano} nano-dollars`, guardTimeoutMs, async () => {
    const { spentNano } = await readLedger(harness, customer.accountId);
    return spentNano === nano;
  });
}

/** A customer whose first request has been booked: everything works, and admin has processed charges. */
async function chargedCustomer(proxy: Served): Promise<Customer> {
  const customer = await harness.createCustomer({ usd: '1' });
  provider.on('upstream-priced', wholeResponse({ usage: { promptTokens: 1, completionTokens: 100 } }));
  await chat(proxy, customer.proxyKey, request);
  await waitForSpent({ customer, nano: costNano });
  return customer;
}

test('the holds of a killed proxy expire, charge at most what was delivered, and free the rest', async () => {
  const [proxy] = await Promise.all([start(harness.startProxy()), start(harness.openAdmin())]);
  const customer = await harness.createCustomer({ usd: '0.01' });
  provider.on('upstream-priced', streamedResponse({ tokens: 100, delayMs: 200 }));
  const streams = await Promise.all(
    Array.from({ length: 3 }, () => chat(proxy, customer.proxyKey, { ...request, stream: true })),
  );
  await Promise.all(streams.map((stream) => stream.body?.getReader().read()));
  await waitFor('the proxy to hold nothing else', guardTimeoutMs, () =>
    readHolding(harness, customer.accountId, 3n * costNano),
  );
  await proxy.kill();

  // The requests have the three holds with money. A lease that the proxy had asked for is one without any.
  const holds = await ageHolds(customer);
  expect(await expireDue(harness.keeper, shardOfAccount(customer.accountId))).toBe(holds);
  expect(await violationsAtRest(harness, [customer.accountId])).toEqual([]);
  const delivered = provider.requests.reduce((sum, truth) => sum + truth.deliveredTokens, 0);
  const { spentNano } = await readLedger(harness, customer.accountId);
  expect(spentNano).toBeLessThanOrEqual(BigInt(delivered) * 10_000n);

  const restarted = await start(harness.openProxy());
  provider.on('upstream-priced', wholeResponse({ usage: { promptTokens: 1, completionTokens: 100 } }));
  const responses = await Promise.all(Array.from({ length: 12 }, () => chat(restarted, customer.proxyKey, request)));
  expect(responses.filter(({ status }) => status === 200)).toHaveLength(10);
  expect(await violationsAtRest(harness, [customer.accountId])).toEqual([]);
});

test('the transaction of a killed admin is booked once by the next one', async () => {
  const [proxy, admin] = await Promise.all([start(harness.openProxy()), start(harness.startAdmin())]);
  const customer = await chargedCustomer(proxy);

  // While the account is locked here, admin's transaction waits.
  await harness.database.sql.begin(async (transaction) => {
    await transaction`SELECT FROM accounts WHERE id = ${customer.accountId} FOR NO KEY UPDATE`;
    await Promise.all(Array.from({ length: 20 }, () => chat(proxy, customer.proxyKey, request)));
    await waitFor('admin to wait for the lock', guardTimeoutMs, async () => {
      const [row] = await harness.database.sql`SELECT FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%FROM accounts%'`;
      return row !== undefined;
    });
    await admin.kill();
  });
  expect((await readLedger(harness, customer.accountId)).spentNano).toBe(costNano);

  await start(harness.openAdmin());
  await waitForSpent({ customer, nano: 21n * costNano });
  expect(await violationsAtRest(harness, [customer.accountId])).toEqual([]);
});

test('nothing is booked twice if admin is killed between its commit and the removal from Redis', async () => {
  const [proxy, admin] = await Promise.all([start(harness.openProxy()), start(harness.startAdmin())]);
  const customer = await chargedCustomer(proxy);

  // A settle's script must get through before writes are paused, admin's removal must not.
  const usage = `{s${shardOfAccount(customer.accountId)}}:usage`;
  await harness.database.sql.begin(async (transaction) => {
    await transaction`SELECT FROM accounts WHERE id = ${customer.accountId} FOR NO KEY UPDATE`;
    await Promise.all(Array.from({ length: 20 }, () => chat(proxy, customer.proxyKey, request)));
    await waitFor('all charges to be in Redis', guardTimeoutMs, async () => {
      const wallet = await harness.keeper.readWallet(customer.accountId);
      return wallet && wallet.availableNano + wallet.heldNano === 1_000_000_000n - 21n * costNano;
    });
    await harness.redis.call('CLIENT', 'PAUSE', '60000', 'WRITE');
  });
  await waitForSpent({ customer, nano: 21n * costNano });
  await admin.kill();
  await harness.redis.call('CLIENT', 'UNPAUSE');
  expect(await harness.redis.xlen(usage)).toBeGreaterThan(0);

  await start(harness.openAdmin());
  await waitFor('the stream to be empty', guardTimeoutMs, async () => (await harness.redis.xlen(usage)) === 0);
  expect(await violationsAtRest(harness, [customer.accountId])).toEqual([]);
  expect((await readLedger(harness, customer.accountId)).spentNano).toBe(21n * costNano);
});

test('a proxy that shuts down lets its streams finish first, and settles them', async () => {
  const [proxy] = await Promise.all([start(harness.startProxy()), start(harness.openAdmin())]);
  const customer = await harness.createCustomer({ usd: '1' });
  provider.on('upstream-priced', streamedResponse({ tokens: 40, delayMs: 20 }));
  const response = await chat(proxy, customer.proxyKey, { ...request, stream: true });
  const ending = proxy.stop();
  expect(await response.text()).toEndWith('data: [DONE]\n\n');
  await ending;
  expect(await proxy.exited).toBe('exit code 0');
  expect(await violationsAtRest(harness, [customer.accountId])).toEqual([]);
  expect((await readLedger(harness, customer.accountId)).spentNano).toBe(400_000n);
});

test('the proxy returns 503 while Redis is down, and resumes once Redis is back', async () => {
  const [proxy] = await Promise.all([start(harness.openProxy()), start(harness.openAdmin())]);
  const customer = await harness.createCustomer({ usd: '1' });
  provider.on('upstream-priced', streamedResponse({ tokens: 100, delayMs: 10 }));
  const running = await chat(proxy, customer.proxyKey, { ...request, stream: true });
  await harness.restartRedis(async () => {
    const refused = await chat(proxy, customer.proxyKey, request);
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).toBe('1');
    // A running stream continues; its charge is kept until Redis accepts it.
    expect(await running.text()).toEndWith('data: [DONE]\n\n');
  });
  expect(await violationsAtRest(harness, [customer.accountId])).toEqual([]);
  expect((await readLedger(harness, customer.accountId)).spentNano).toBe(costNano);
  provider.on('upstream-priced', wholeResponse({ usage: { promptTokens: 1, completionTokens: 100 } }));
  await waitFor(
    'the proxy to serve again',
    guardTimeoutMs,
    async () => (await chat(proxy, customer.proxyKey, request)).status === 200,
  );
});
