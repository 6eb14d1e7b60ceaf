/** The shortest way to each violation that chaos has found and that is not repaired yet. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { readLedger, waitFor } from '../harness/account-view.ts';
import { violationsAtRest } from '../harness/books.ts';
import { chat } from '../harness/chat.ts';
import { failWith, type ScriptedProvider, startScriptedProvider } from '../harness/scripted-provider.ts';
import { testCatalogue } from '../harness/test-catalogue.ts';
import { type Harness, startHarness } from '../harness.ts';

let harness: Harness;
let provider: ScriptedProvider;

beforeAll(async () => {
  harness = await startHarness();
  provider = startScriptedProvider();
  await harness.applyCatalogue(testCatalogue(provider.baseUrl));
});

afterAll(async () => {
  await provider.stop();
  await harness.stop();
});

test.failing('a client that leaves while its only provider refuses is charged nothing', async () => {
  const [admin, proxy] = [await harness.startAdmin(), await harness.startProxy()];
  const customer = await harness.createCustomer({ usd: '1' });
  const refusing = Promise.withResolvers<void>();
  provider.on('upstream-chat', async (truth, request) => {
    await refusing.promise;
    return failWith(503, 'busy')(truth, request);
  });
  // Writes wait, so the client is gone before its money is held, and the provider is asked all the same.
  await harness.redis.call('CLIENT', 'PAUSE', '60000', 'WRITE');
  const leaving = new AbortController();
  const asking = chat(proxy, customer.proxyKey, { model: 'test/chat', max_tokens: 10 }, { signal: leaving.signal });
  await waitFor('the reserve to wait', 5_000, async () =>
    / flags=\w*b.* cmd=evalsha/.test(String(await harness.redis.call('CLIENT', 'LIST'))),
  );
  leaving.abort();
  await asking.catch(() => {});
  await harness.redis.call('CLIENT', 'UNPAUSE');
  refusing.resolve();
  await Bun.sleep(1_000);
  expect(await violationsAtRest(harness, [customer.accountId])).toEqual([]);
  const { spentNano } = await readLedger(harness, customer.accountId);
  await Promise.all([admin.stop(), proxy.stop()]);
  expect(spentNano).toBe(0n);
});
