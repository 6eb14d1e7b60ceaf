/** The playground: a response as it streams, what it cost, stopping it, and what a person sees when it fails. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { isNotNull } from 'drizzle-orm';
import type { Page } from 'playwright-core';
import { limitAccount } from '../../../admin/accounts/limit-account.ts';
import { apiKeys } from '../../../admin/database/tables/api-keys.ts';
import { deleteSessionKeys } from '../../../admin/keys/session-keys.ts';
import { deliverOutbox } from '../../../admin/wallets/deliver-outbox.ts';
import { sumDecimals } from '../../../dashboard/app/money/decimal.ts';
import { guardTimeoutMs, logIn, waitFor } from '../../harness/account-view.ts';
import { chromiumPath } from '../../harness/clients/browser.ts';
import { failWith, streamedResponse } from '../../harness/providers/scripted-provider.ts';
import { type Dashboard, startDashboard } from '../harness/dashboard.ts';

describe.skipIf(!chromiumPath)('the playground', () => {
  let dashboard: Dashboard;
  beforeAll(async () => {
    dashboard = await startDashboard();
  });
  afterAll(() => dashboard?.[Symbol.asyncDispose]());

  const open = async (usd = '5') => {
    const customer = await dashboard.harness.createCustomer({ usd });
    const page = await dashboard.openAs(customer, '/playground?model=test%2Fchat');
    const { get } = await logIn(dashboard.admin, customer);
    return { customer, page, get };
  };
  const send = async (page: Page, message: string) => {
    await page.getByLabel('Message').fill(message);
    await page.getByRole('button', { name: 'Send' }).click();
  };
  interface Charged {
    readonly requests: readonly { charged: string; promptTokens: number; completionTokens: number }[];
  }

  test('stops an answer, and shows what was charged for the part', async () => {
    dashboard.provider.on(
      'upstream-chat',
      streamedResponse({ tokens: 1_000, after: { tokens: 20, ends: 'stall' }, usage: false }),
    );
    const { page, get } = await open();
    await send(page, 'Count without end');
    await page.locator('.model-response-text', { hasText: '19' }).waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByText('Stopped', { exact: true }).waitFor();
    const { requests } = await waitFor('the booking', guardTimeoutMs, async () => {
      const list = await get<Charged>('/api/requests');
      return list.requests.length === 1 && list;
    });
    const amount = page.locator('.model-response-facts .amount');
    await amount.waitFor();
    expect(await amount.innerText()).toBe(`$${requests[0]?.charged}`);
    expect(await page.locator('.model-response-facts').innerText()).toContain('(estimated)');
    dashboard.expectClean();
  });

  test('shows a limit that is reached with the time to wait, and continues when it is lifted', async () => {
    dashboard.provider.on('upstream-chat', streamedResponse({ tokens: 3 }));
    const { customer, page } = await open();
    await limitRequests(customer.accountId, 1);
    await send(page, 'One');
    await page.locator('.model-response-facts').waitFor();
    await send(page, 'Two');
    const alert = page.getByRole('alert');
    await alert.getByText('Too many requests').waitFor();
    expect(await alert.innerText()).toContain('Nothing was charged.');
    expect(await alert.getByRole('button').innerText()).toMatch(/^Try again in \d+ s$/);
    await limitRequests(customer.accountId, 0);
    await send(page, 'Three');
    await page.locator('.model-response-facts').nth(1).waitFor();
    dashboard.expectClean();
  });

  test('works in two tabs, which share a key, and get another one where it is refused', async () => {
    dashboard.provider.on('upstream-chat', streamedResponse({ tokens: 3 }));
    const visitor = await dashboard.newVisitor();
    const customer = await dashboard.harness.createCustomer({ usd: '5' });
    await visitor.signIn(customer);
    const path = '/playground?model=test%2Fchat';
    const [page, other] = [await visitor.visit(path), await visitor.visit(path)];
    const ask = async (tab: Page) => {
      const before = await tab.locator('.model-response-facts').count();
      await send(tab, 'Hello');
      await tab.locator('.model-response-facts').nth(before).waitFor();
      expect(await tab.getByRole('alert').count()).toBe(0);
    };
    const { database, keeper } = dashboard.harness;
    const { accountId } = customer;
    const keysMade = async () => {
      const rows =
        await database.sql`SELECT id FROM api_keys WHERE account_id = ${accountId} AND session_id IS NOT NULL`;
      return rows.length;
    };
    for (const tab of [page, other, page]) await ask(tab);
    expect(await keysMade()).toBe(1);
    await database.db.transaction(async (transaction) => {
      const sessions = await transaction
        .select({ id: apiKeys.sessionId })
        .from(apiKeys)
        .where(isNotNull(apiKeys.sessionId));
      const sessionIds = sessions.flatMap(({ id }) => id ?? []);
      await deleteSessionKeys(transaction, { accountId, sessionIds });
    });
    await deliverOutbox({ sql: database.sql, keeper }, accountId);
    for (const tab of [page, other, page]) await ask(tab);
    expect(await keysMade()).toBe(2);
    dashboard.expectClean();
  });

  test.each(['requested', 'answered'] as const)(
    'uses the newer of two keys where a tab’s own was %s late, so that neither is refused',
    async (late) => {
      dashboard.provider.on('upstream-chat', streamedResponse({ tokens: 3 }));
      const visitor = await dashboard.newVisitor();
      await visitor.signIn(await dashboard.harness.createCustomer({ usd: '5' }));
      const path = '/playground?model=test%2Fchat';
      const [page, other] = [await visitor.visit(path), await visitor.visit(path)];
      const statuses: number[] = [];
      for (const tab of [page, other]) {
        tab.on('response', (response) => {
          if (response.url().endsWith('/v1/chat/completions')) statuses.push(response.status());
        });
      }
      const [begun, rest] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      await page.route('**/api/playground-key', async (route) => {
        const answer = late === 'answered' ? await route.fetch() : undefined;
        begun.resolve();
        await rest.promise;
        await (answer === undefined ? route.continue() : route.fulfill({ response: answer }));
      });
      const facts = (tab: Page) => tab.locator('.model-response-facts');
      await send(page, 'Hello');
      await begun.promise;
      await send(other, 'Hello');
      await facts(other).waitFor();
      rest.resolve();
      await facts(page).waitFor();
      for (const tab of [page, other]) {
        await send(tab, 'Hello again');
        await facts(tab).nth(1).waitFor();
      }
      expect(statuses).toEqual([200, 200, 200, 200]);
      dashboard.expectClean();
    },
  );

  test('counts what a failed attempt has cost after it is tried again', async () => {
    const shown = Promise.withResolvers<void>();
    const after = { tokens: 20, ends: 'error', when: shown.promise } as const;
    dashboard.provider.on('upstream-chat', streamedResponse({ tokens: 100, after }));
    const { page, get } = await open();
    await send(page, 'Hello');
    await page.locator('.model-response-text', { hasText: '019' }).waitFor();
    shown.resolve();
    const retry = page.getByRole('alert').getByRole('button', { name: 'Try again', exact: true });
    await retry.waitFor();
    dashboard.provider.on('upstream-chat', streamedResponse({ tokens: 3 }));
    await retry.click();
    const charged = await waitFor('both bookings', guardTimeoutMs, async () => {
      const { requests } = await get<Charged>('/api/requests');
      return requests.length === 2 && requests.map((request) => request.charged);
    });
    const sum = page.locator('.spending .amount');
    await waitFor('their sum', guardTimeoutMs, async () => (await sum.innerText()) === `$${sumDecimals(charged)}`);
    dashboard.expectClean();
  });

  test('distinguishes a failing provider, an unavailable model and an unreachable gateway', async () => {
    dashboard.provider.on('upstream-chat', failWith(500, 'broken'));
    const { page } = await open();
    await send(page, 'Hello');
    const alert = page.getByRole('alert').last();
    const retry = alert.getByRole('button', { name: 'Try again', exact: true });
    await alert.getByText('The provider failed').waitFor();
    expect(await alert.innerText()).toMatch(/Request ID: [0-9a-f-]{36}/);
    await waitFor('the model to rest', guardTimeoutMs, async () => {
      if ((await alert.innerText()).includes('The model is not available right now')) return true;
      if (await retry.isEnabled().catch(() => false)) await retry.click();
      return false;
    });
    await page.route(`${dashboard.proxy.url}/**`, (route) => route.abort());
    await send(page, 'Hello again');
    await alert.getByText('No connection to the gateway').waitFor();
    expect(await alert.innerText()).toContain(dashboard.proxy.url);
  });

  const limitRequests = async (accountId: number, requestsPerMinute: number) => {
    const { database, keeper } = dashboard.harness;
    const actor = { name: 'cli:test', userId: null, address: null, requestId: null };
    const input = { accountId, change: { requestsPerMinute }, reason: undefined };
    await limitAccount(database.db, actor, input);
    await deliverOutbox({ sql: database.sql, keeper }, accountId);
  };
});
