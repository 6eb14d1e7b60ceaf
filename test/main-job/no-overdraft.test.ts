/** Two proxies, one balance: what concurrent requests can and cannot spend. */
import { afterAll, expect, test } from 'bun:test';
import { guardTimeoutMs, logIn, readLedger, waitFor } from '../harness/account-view.ts';
import { chat, errorCodeOf } from '../harness/clients/chat.ts';
import { startGateway } from '../harness/gateway.ts';
import { wholeResponse } from '../harness/providers/scripted-provider.ts';

const { harness, provider, admin, proxy, stop } = await startGateway();
const proxies = [proxy, await harness.openProxy()];

afterAll(stop);

/** A free prompt and 100 output tokens at 10 micro-dollars: the hold and the cost are both $0.001. */
const request = { model: 'test/priced-output', max_tokens: 100 };
const atTheCap = { usage: { promptTokens: 5, completionTokens: 100 } };

test('a balance for ten requests pays for exactly ten of 200 concurrent requests over two proxies', async () => {
  const customer = await harness.createCustomer({ usd: '0.01' });
  let lowestNano = 10_000_000n;
  let watching = true;
  const watch = (async () => {
    while (watching) {
      const state = await harness.keeper.readWallet(customer.accountId);
      if (state !== undefined && state.availableNano < lowestNano) lowestNano = state.availableNano;
      await Bun.sleep(1);
    }
  })();
  provider.on('upstream-priced', wholeResponse({ ...atTheCap, delayMs: 100 }));
  const responses = await Promise.all(
    Array.from({ length: 200 }, (_, index) => chat(proxies[index % 2], customer.proxyKey, request)),
  );
  watching = false;
  await watch;

  const statuses = responses.map((response) => response.status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(10);
  expect(statuses.filter((status) => status === 403)).toHaveLength(190);
  const codes = new Set(await Promise.all(responses.filter(({ status }) => status === 403).map(errorCodeOf)));
  expect([...codes].every((code) => code === 'insufficient_balance' || code === 'balance_reserved')).toBe(true);
  expect(lowestNano).toBe(0n);
  await waitFor('all holds to be settled', guardTimeoutMs, async () => {
    const wallet = await harness.keeper.readWallet(customer.accountId);
    return wallet?.heldNano === 0n && wallet.availableNano === 0n;
  });
  await waitFor(
    'the ledger',
    guardTimeoutMs,
    async () => (await readLedger(harness, customer.accountId)).balanceNano === 0n,
  );
  const account = await logIn(admin, customer);
  expect(await account.balanceAtRest()).toMatchObject({ balance: 0, available: 0 });
  expect((await account.transactions()).filter(({ type }) => type === 'usage')).toHaveLength(10);
});

test('an error has the available, held and needed amounts, and the affordable max_tokens', async () => {
  const customer = await harness.createCustomer({ usd: '0.0015' });
  const release = Promise.withResolvers<void>();
  provider.on('upstream-priced', async (truth, sent) => {
    await release.promise;
    return wholeResponse(atTheCap)(truth, sent);
  });
  const running = chat(proxies[0], customer.proxyKey, request);
  await waitFor(
    'the hold',
    guardTimeoutMs,
    async () => (await harness.keeper.readWallet(customer.accountId))?.heldNano === 1_000_000n,
  );

  const reserved = await chat(proxies[1], customer.proxyKey, request);
  expect(reserved.status).toBe(403);
  expect(reserved.headers.get('retry-after')).toBe('1');
  const { error } = (await reserved.json()) as { error: { message: string; code: string } };
  expect(error.code).toBe('balance_reserved');
  expect(error.message).toContain(
    'available: $0.0005, held by requests in flight: $0.001, maximum cost: $0.001, affordable max_tokens: 50',
  );
  const tooExpensive = await chat(proxies[1], customer.proxyKey, { ...request, max_tokens: 151 });
  expect(await errorCodeOf(tooExpensive)).toBe('insufficient_balance');
  release.resolve();
  expect((await running).status).toBe(200);
  await waitFor(
    'the settle',
    guardTimeoutMs,
    async () => (await harness.keeper.readWallet(customer.accountId))?.heldNano === 0n,
  );
  const affordable = await chat(proxies[1], customer.proxyKey, { ...request, max_tokens: 50 });
  expect(affordable.status).toBe(200);
});

test('a payment is spendable as soon as it is booked', async () => {
  const customer = await harness.createCustomer({ usd: '0' });
  await harness.openWallet(customer.accountId);
  provider.on('upstream-priced', wholeResponse(atTheCap));
  expect(await errorCodeOf(await chat(proxies[0], customer.proxyKey, request))).toBe('insufficient_balance');
  await harness.credit(customer.accountId, '0.001');
  expect((await chat(proxies[1], customer.proxyKey, request)).status).toBe(200);
  await waitFor(
    'the settle',
    guardTimeoutMs,
    async () => (await harness.keeper.readWallet(customer.accountId))?.heldNano === 0n,
  );
  expect(await errorCodeOf(await chat(proxies[0], customer.proxyKey, request))).toBe('insufficient_balance');
});
