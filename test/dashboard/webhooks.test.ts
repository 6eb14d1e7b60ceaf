/** The page of webhooks: endpoints are added, tested, changed and deleted, and deliveries are seen and sent again. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { chromiumPath } from '../harness/clients/browser.ts';
import { Receiver } from '../harness/webhooks/receiver.ts';
import { expectAudited } from './harness/audit.ts';
import { type Dashboard, startDashboard } from './harness/dashboard.ts';
import { seedWebhooks } from './harness/webhooks.ts';
import { confirm, press, pressInRow } from './organization/people.ts';

describe.skipIf(!chromiumPath)('webhooks', () => {
  let dashboard: Dashboard;
  let receiver: Receiver;
  beforeAll(async () => {
    receiver = new Receiver();
    dashboard = await startDashboard({ adminEnvironment: { WEBHOOK_ALLOW_PRIVATE: 'true' } });
  });
  afterAll(async () => {
    await dashboard?.[Symbol.asyncDispose]();
    await receiver.stop();
  });

  const rowOf = (page: Page, url: string) => page.getByRole('row').filter({ hasText: url });
  const shownSecret = async (page: Page) => {
    await page.getByRole('heading', { name: 'Signing secret' }).waitFor();
    const secret = await page.getByLabel('Secret', { exact: true }).inputValue();
    await press(page, 'Done');
    return secret;
  };

  test('an endpoint is added, its secret is shown once, and a test event reaches it', async () => {
    const page = await dashboard.openAs(await dashboard.harness.createCustomer({ usd: '0' }), '/webhooks');
    await page.getByRole('heading', { name: 'Webhooks' }).waitFor();
    await page.getByText('No endpoints yet').waitFor();
    await press(page, 'Add endpoint');
    await page.getByLabel('URL').fill('nonsense');
    await press(page, 'Add');
    await page.getByText('Enter an address that begins with https://').waitFor();
    await page.getByText('Choose at least one event').waitFor();
    const url = receiver.url('/added');
    await page.getByLabel('URL').fill(url);
    await page.getByLabel('A key is created').check();
    await page.getByLabel('A member joins').check();
    await press(page, 'Add');
    const secret = await shownSecret(page);
    expect(secret).toStartWith('whsec_');
    await rowOf(page, url).getByText('Active').waitFor();
    await pressInRow(page, url, 'Send test event');
    await page.getByText('The endpoint confirmed the test event with status 200.').waitFor();
    const [request] = receiver.at('/added');
    if (request === undefined) throw new Error('nothing arrived');
    Receiver.verify(secret, request);

    receiver.answers.set('/added', () => new Response('broken', { status: 500 }));
    await pressInRow(page, url, 'Send test event');
    await page.getByText('the endpoint responded with status 500').first().waitFor();
    await pressInRow(page, url, 'Replace secret');
    await page.getByRole('dialog').getByRole('button', { name: 'Replace secret' }).click();
    expect(await shownSecret(page)).not.toBe(secret);
    await rowOf(page, url).getByText('The previous secret also signs until').waitFor();
    dashboard.expectClean();
  });

  test('an endpoint is changed, deactivated, activated and deleted', async () => {
    const customer = await dashboard.harness.createCustomer({ usd: '0' });
    await seedWebhooks(dashboard.harness, customer.accountId);
    const page = await dashboard.openAs(customer, '/webhooks');
    const url = 'https://example.com/off';
    await rowOf(page, url).getByText('balance.low and 2 more').waitFor();
    await pressInRow(page, url, 'Edit');
    await press(page, 'Select all');
    await confirm(page, 'Save');
    await rowOf(page, url).getByText('All events').waitFor();
    await pressInRow(page, url, 'Activate');
    await rowOf(page, url).getByText('Active', { exact: true }).waitFor();
    await pressInRow(page, url, 'Deactivate');
    await rowOf(page, url).getByText('Inactive').waitFor();
    await rowOf(page, 'billing.example.com').getByText('Stopped after failures').waitFor();
    await pressInRow(page, url, 'Delete');
    await confirm(page, 'Delete endpoint');
    await rowOf(page, url).waitFor({ state: 'detached' });
    expect(await page.getByRole('row').count()).toBe(3);
    dashboard.expectClean();
  });

  test('deliveries are listed with their responses, and one that failed is sent again', async () => {
    const customer = await dashboard.harness.createCustomer({ usd: '0' });
    const { accountId } = customer;
    await seedWebhooks(dashboard.harness, accountId);
    await dashboard.harness.database.sql`
      UPDATE webhook_endpoints SET url = ${receiver.url('/replayed')} WHERE account_id = ${accountId} AND active`;
    const page = await dashboard.openAs(customer, '/webhooks');
    await pressInRow(page, '/replayed', 'Deliveries');
    const entries = page.getByRole('list', { name: 'Deliveries' }).getByRole('listitem');
    await entries.first().waitFor();
    expect(await entries.locator('.status').allInnerTexts()).toEqual(['Waiting', 'Failed', 'Delivered', 'Delivered']);
    await entries.nth(1).getByText('Response, status 500').click();
    await entries.nth(1).getByText('<h1>Internal Server Error</h1>').waitFor();
    await entries.nth(1).getByRole('button', { name: 'Send again' }).click();
    await page.getByText('It is sent again in a moment.').waitFor();
    await entries.nth(1).getByText('Delivered').waitFor();
    await entries.nth(1).getByText('11 attempts').waitFor();
    expect(receiver.at('/replayed')).toHaveLength(1);
    await page.keyboard.press('Escape');
    await page.waitForURL((address) => address.search === '');
    dashboard.expectClean();
  });

  test('the dialog and the deliveries are accessible', async () => {
    const customer = await dashboard.harness.createCustomer({ usd: '0' });
    await seedWebhooks(dashboard.harness, customer.accountId);
    const page = await dashboard.openAs(customer, '/webhooks');
    await press(page, 'Add endpoint');
    await press(page, 'Add');
    await page.getByText('Choose at least one event').waitFor();
    await expectAudited(page);
    await page.reload();
    await pressInRow(page, 'hooks.example.com', 'Deliveries');
    await page.getByText('Response, status 500').first().click();
    await expectAudited(page);
  });

  test('an auditor sees deliveries, and nothing to change them with', async () => {
    const owner = await dashboard.harness.createCustomer({ usd: '0' });
    await seedWebhooks(dashboard.harness, owner.accountId);
    await dashboard.harness.database.sql`UPDATE memberships SET role = 'auditor' WHERE user_id = ${owner.userId}`;
    const page = await dashboard.openAs(owner, '/webhooks');
    await pressInRow(page, 'hooks.example.com', 'Deliveries');
    await page.getByRole('list', { name: 'Deliveries' }).getByRole('listitem').first().waitFor();
    expect(await page.getByRole('button', { name: 'Send again' }).count()).toBe(0);
    dashboard.expectClean();
  });
});
