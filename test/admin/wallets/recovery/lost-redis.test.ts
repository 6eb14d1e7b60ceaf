/** A Redis that has lost all or some of its data is restored from the ledger, even with requests running. */
import { afterAll, expect, test } from 'bun:test';
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { shardOfAccount } from '../../../../shared/wallet/shard.ts';
import { guardTimeoutMs, readLedger, waitFor } from '../../../harness/account-view.ts';
import { violationsAtRest } from '../../../harness/books.ts';
import { chat } from '../../../harness/clients/chat.ts';
import type { Customer } from '../../../harness/customers.ts';
import { startGateway } from '../../../harness/gateway.ts';
import { streamedResponse, wholeResponse } from '../../../harness/providers/scripted-provider.ts';

const { harness, provider, proxy, stop } = await startGateway();
let customer: Customer;

const request = { model: 'test/priced-output', max_tokens: 100 };
/** 100 tokens at 10 micro-dollars. */
const costNano = 1_000_000n;

afterAll(stop);

const ask = (extra: object = {}) => chat(proxy, customer.proxyKey, { ...request, ...extra });

async function spend(times: number): Promise<void> {
  provider.on('upstream-priced', wholeResponse({ usage: { promptTokens: 1, completionTokens: 100 } }));
  const responses = await Promise.all(Array.from({ length: times }, () => ask()));
  expect(responses.every(({ status }) => status === 200)).toBe(true);
}

const appendOnlyFiles = () => join(harness.redisDirectory, 'appendonlydir');

const servesAgain = () => waitFor('the proxy to serve again', guardTimeoutMs, async () => (await ask()).status === 200);

test('an emptied Redis interrupts no stream, all is charged once, and only the rest can be spent', async () => {
  customer = await harness.createCustomer({ usd: '0.02' });
  await spend(5);
  provider.on('upstream-priced', streamedResponse({ tokens: 100, delayMs: 40 }));
  const running = await ask({ stream: true });
  await harness.restartRedis(() => rm(appendOnlyFiles(), { recursive: true }));
  expect(await running.text()).toEndWith('data: [DONE]\n\n');

  provider.on('upstream-priced', wholeResponse({ usage: { promptTokens: 1, completionTokens: 100 } }));
  await servesAgain();
  expect(await violationsAtRest(harness, [customer.accountId])).toEqual([]);
  expect((await readLedger(harness, customer.accountId)).spentNano).toBe(7n * costNano);
  const rest = await Promise.all(Array.from({ length: 20 }, () => ask()));
  expect(rest.filter(({ status }) => status === 200)).toHaveLength(13);
  expect(await violationsAtRest(harness, [customer.accountId])).toEqual([]);
});

test('a Redis that lost its last writes spends nothing twice, and a lost payment is restored', async () => {
  customer = await harness.createCustomer({ usd: '0.01' });
  await spend(1);
  // The Redis that comes back does not know what happens after this copy.
  const copy = join(harness.directory, 'copy');
  await cp(appendOnlyFiles(), copy, { recursive: true });
  await spend(4);
  await harness.credit(customer.accountId, '0.001');
  await waitFor(
    'the ledger',
    5_000,
    async () => (await readLedger(harness, customer.accountId)).spentNano === 5n * costNano,
  );
  await harness.restartRedis(async () => {
    await rm(appendOnlyFiles(), { recursive: true });
    await cp(copy, appendOnlyFiles(), { recursive: true });
  });
  await servesAgain();
  expect(await violationsAtRest(harness, [customer.accountId])).toEqual([]);
  expect((await readLedger(harness, customer.accountId)).spentNano).toBe(6n * costNano);
  const rest = await Promise.all(Array.from({ length: 10 }, () => ask()));
  expect(rest.filter(({ status }) => status === 200)).toHaveLength(5);
  const meta = await harness.keeper.readMeta(shardOfAccount(customer.accountId));
  expect(meta?.mode).toBe('open');
  expect(meta?.epoch).toBeGreaterThan(1);
});
