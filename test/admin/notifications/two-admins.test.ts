/** End to end: chats, charges, an alert, a mail server; two admins, each with all its workers. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { waitFor } from '../../harness/account-view.ts';
import { chat } from '../../harness/clients/chat.ts';
import { type MailServer, startMailServer } from '../../harness/mail-server.ts';
import type { Served } from '../../harness/programs.ts';
import {
  type ScriptedProvider,
  startScriptedProvider,
  wholeResponse,
} from '../../harness/providers/scripted-provider.ts';
import { testCatalogue } from '../../harness/providers/test-catalogue.ts';
import { type Harness, startHarness } from '../../harness.ts';

const mailedMs = 15_000;

let harness: Harness;
let provider: ScriptedProvider;
let server: MailServer;
let proxy: Served;

beforeAll(async () => {
  harness = await startHarness();
  provider = startScriptedProvider();
  server = await startMailServer();
  await harness.applyCatalogue(testCatalogue(provider.baseUrl));
  const environment = {
    SMTP_URL: server.url,
    MAIL_FROM: 'gateway@example.com',
    PUBLIC_URL: 'https://gateway.example.com',
  };
  await Promise.all([harness.openAdmin(environment), harness.openAdmin(environment)]);
  proxy = await harness.openProxy();
});
afterAll(async () => {
  await provider.stop();
  await harness.stop();
  await server.stop();
});

/** One dollar each: 100,000 output tokens, which are never generated. */
const dollar = wholeResponse({ content: 'Hi.', usage: { promptTokens: 0, completionTokens: 100_000 } });

test('ten concurrent chats that cross the threshold cause one alert in one mail', async () => {
  provider.on('upstream-priced', dollar);
  // The default threshold is 500 RUB: 5.56 USD at the configured rate of 90.
  const customer = await harness.createCustomer({ usd: '15' });
  const ask = () => chat(proxy, customer.proxyKey, { model: 'test/priced-output', max_tokens: 4096 });
  const responses = await Promise.all(Array.from({ length: 10 }, ask));
  expect(responses.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200));
  await waitFor('all charges', mailedMs, async () => {
    const [row] = await harness.database.sql`SELECT count(*)::int FROM charged_requests`;
    return row?.count === 10;
  });
  await waitFor('the mail', mailedMs, async () => {
    const [row] = await harness.database.sql`SELECT FROM mails WHERE state = 'sent'`;
    return row !== undefined;
  });
  const mails = await harness.database.sql`SELECT recipient, kind, state, attempts FROM mails`;
  expect([...mails]).toEqual([{ recipient: customer.email, kind: 'low_balance', state: 'sent', attempts: 1 }]);
  expect(server.received.map(({ to }) => to)).toEqual([[customer.email]]);
  expect(server.received[0]?.header('from')).toBe('gateway@example.com');
  expect(server.received[0]?.part('text/html')).toContain('https://gateway.example.com/billing');
});
