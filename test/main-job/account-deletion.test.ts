/** An account is deleted while it is in use: with real programs, a real mail server and the books at rest. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { guardTimeoutMs, readLedger, waitFor } from '../harness/account-view.ts';
import { spentAtRest, violationsAtRest } from '../harness/books.ts';
import { chat, errorCodeOf } from '../harness/clients/chat.ts';
import { type Customer, testPassword } from '../harness/customers.ts';
import { type MailServer, startMailServer } from '../harness/mail-server.ts';
import type { Served } from '../harness/programs.ts';
import {
  type ScriptedProvider,
  startScriptedProvider,
  streamedResponse,
  wholeResponse,
} from '../harness/providers/scripted-provider.ts';
import { testCatalogue } from '../harness/providers/test-catalogue.ts';
import { isHeld } from '../harness/wallet/is-held.ts';
import { type Harness, startHarness } from '../harness.ts';

let harness: Harness;
let provider: ScriptedProvider;
let server: MailServer;
let admin: Served;
let proxies: Served[];
beforeAll(async () => {
  harness = await startHarness();
  provider = startScriptedProvider();
  server = await startMailServer();
  await harness.applyCatalogue(testCatalogue(provider.baseUrl));
  admin = await harness.openAdmin({
    SMTP_URL: server.url,
    MAIL_FROM: 'gateway@example.com',
    PUBLIC_URL: 'https://gateway.example.com',
  });
  proxies = [await harness.openProxy(), await harness.startProxy()];
});
afterAll(async () => {
  await provider.stop();
  await harness.stop();
  await server.stop();
});

/** 10 micro-dollars. */
const tokenNano = 10_000n;
const streamed = { model: 'test/priced-output', stream: true, max_tokens: 1000 };

async function tokenOf({ email }: Customer): Promise<string> {
  const body = JSON.stringify({ email, password: testPassword });
  const apiResponse = await fetch(`${admin.url}/api/auth/login`, { method: 'POST', body });
  const { accessToken } = (await apiResponse.json()) as { accessToken: string };
  return accessToken;
}

async function remove(customer: Customer, forfeitBalanceUsd: string): Promise<Response> {
  return fetch(`${admin.url}/api/account`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${await tokenOf(customer)}` },
    body: JSON.stringify({ current_password: testPassword, forfeitBalanceUsd }),
  });
}

test('every replica refuses the keys with 401 from the response to the deletion on', async () => {
  provider.on('upstream-chat', wholeResponse({ content: 'Hi.', usage: { promptTokens: 1, completionTokens: 1 } }));
  const customer = await harness.createCustomer({ usd: '5' });
  const ask = (proxy: Served) => chat(proxy, customer.proxyKey, { model: 'test/chat' });
  for (const proxy of proxies) expect((await ask(proxy)).status).toBe(200);
  await spentAtRest(harness, customer.accountId);
  const { balanceNano } = await readLedger(harness, customer.accountId);
  expect((await remove(customer, `4.${String(balanceNano % 1_000_000_000n).padStart(9, '0')}`)).status).toBe(200);
  for (const proxy of proxies) {
    const refused = await ask(proxy);
    expect([refused.status, await errorCodeOf(refused)]).toEqual([401, 'invalid_api_key']);
  }
  expect(await violationsAtRest(harness, [customer.accountId])).toEqual([]);
});

test('a request that runs during the deletion is completed, settled and booked, and the books agree', async () => {
  const customer = await harness.createCustomer({ usd: '1' });
  const { accountId } = customer;
  const resume = Promise.withResolvers<void>();
  const tokens = 60;
  provider.on('upstream-priced', async (truth, request) => {
    const stream = streamedResponse({ tokens, usage: true });
    await resume.promise;
    return stream(truth, request);
  });
  const apiResponse = chat(proxies[0], customer.proxyKey, streamed);
  const wallet = await waitFor('the hold', guardTimeoutMs, async () => {
    const found = await harness.keeper.readWallet(accountId);
    return found !== undefined && found.heldNano > 0n && found;
  });
  expect((await remove(customer, '1')).status).toBe(200);
  expect((await harness.keeper.readWallet(accountId))?.heldNano).toBe(wallet.heldNano);
  resume.resolve();
  const response = await apiResponse;
  const requestId = response.headers.get('x-request-id') ?? '';
  expect(await response.text()).toEndWith('data: [DONE]\n\n');

  const spentNano = await spentAtRest(harness, accountId);
  const [head] = await harness.database.sql`SELECT charged_nano FROM charged_requests WHERE request_id = ${requestId}`;
  expect(BigInt(head?.charged_nano)).toBe(spentNano);
  expect(spentNano).toBeGreaterThanOrEqual(BigInt(tokens) * tokenNano);
  expect((await readLedger(harness, accountId)).balanceNano).toBe(1_000_000_000n - spentNano);
  expect(await isHeld(harness.redis, { accountId, requestId })).toBe(false);
  expect(await violationsAtRest(harness, [accountId])).toEqual([]);
});

test('one mail confirms the deletion, and after it the address is removed from the database', async () => {
  const customer = await harness.createCustomer({ usd: '2.5' });
  expect((await remove(customer, '2.5')).status).toBe(200);
  const mail = await waitFor('the mail', guardTimeoutMs, async () =>
    server.received.find(({ to }) => to.includes(customer.email)),
  );
  expect(mail.header('subject')).toBe('Your account is deleted');
  expect(mail.part('text/plain')).toContain('Forfeited balance: $2.50');
  await waitFor('the address to be forgotten', guardTimeoutMs, async () => {
    const rows = await harness.database.sql`SELECT FROM mails WHERE recipient = ${customer.email}`;
    return rows.length === 0;
  });
  expect(server.received.filter(({ to }) => to.includes(customer.email))).toHaveLength(1);
});

test('charges after the deletion cause no alert', async () => {
  // The default threshold is 500 RUB: 5.56 USD at the configured rate of 90.
  const customer = await harness.createCustomer({ usd: '6' });
  const resume = Promise.withResolvers<void>();
  provider.on('upstream-priced', async (truth, request) => {
    await resume.promise;
    return wholeResponse({ content: 'Hi.', usage: { promptTokens: 0, completionTokens: 100_000 } })(truth, request);
  });
  const apiResponse = chat(proxies[1], customer.proxyKey, { model: 'test/priced-output', max_tokens: 4096 });
  await waitFor('the hold', guardTimeoutMs, async () => {
    const wallet = await harness.keeper.readWallet(customer.accountId);
    return wallet !== undefined && wallet.heldNano > 0n;
  });
  expect((await remove(customer, '6')).status).toBe(200);
  resume.resolve();
  expect((await apiResponse).status).toBe(200);
  expect(await spentAtRest(harness, customer.accountId)).toBe(1_000_000_000n);
  const kinds = await harness.database.sql`SELECT kind FROM mails WHERE account_id = ${customer.accountId}`;
  expect(kinds.filter(({ kind }) => kind === 'low_balance')).toEqual([]);
});
