/** The running gateway as operators see it: health, reconciliation, mails and the audit log. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { writeHealth } from '../../../shared/health/deployment-health.ts';
import { guardTimeoutMs, waitFor } from '../../harness/account-view.ts';
import { chromiumPath } from '../../harness/clients/browser.ts';
import type { Customer } from '../../harness/customers.ts';
import { wholeResponse } from '../../harness/providers/scripted-provider.ts';
import { expectAccessible, expectAudited } from '../harness/audit.ts';
import { type Dashboard, type DashboardVisitor, follow, settled, startDashboard } from '../harness/dashboard.ts';

const longAddress = 'somebody-with-a-very-long-name-that-nobody-can-remember@mail.department.example.com';

describe.skipIf(!chromiumPath)('an operator', () => {
  let dashboard: Dashboard;
  let operator: DashboardVisitor;
  let customer: Customer;
  let tab: Page | undefined;
  beforeAll(async () => {
    dashboard = await startDashboard();
    const { harness, provider, proxy } = dashboard;
    operator = await dashboard.newVisitor();
    await operator.signIn(await harness.createCustomer({ usd: '0', role: 'operator', email: 'operator@example.com' }));
    customer = await harness.createCustomer({ usd: '1234567.123456789', email: longAddress });
    const usage = { promptTokens: 1_234, completionTokens: 567 };
    provider.on('upstream-chat', wholeResponse({ content: 'Hi.', usage }));
    await fetch(`${proxy.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${customer.proxyKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'test/chat', messages: [{ role: 'user', content: 'Hello' }] }),
    });
  });
  afterAll(() => dashboard?.[Symbol.asyncDispose]());

  const visit = async (path: string) => {
    tab = await operator.visit(path, tab);
    return tab;
  };
  const audit = async (path: string) => {
    const page = tab ?? (await visit(path));
    await follow(page, path);
    await expectAudited(page);
  };
  const insertMail = async (recipient: string) => {
    const { sql } = dashboard.harness.database;
    await sql`
      INSERT INTO mails (account_id, recipient, language, kind, data, state, attempts, last_error, give_up_at)
      VALUES (${customer.accountId}, ${recipient}, 'en', 'low_balance', '{}', 'failed', 12,
        '550 5.1.1 Recipient address rejected: User unknown in virtual mailbox table', now() + interval '1 hour')`;
  };
  const report = (state: 'closed' | 'open') =>
    writeHealth(dashboard.harness.redis, {
      replica: 'another:8080',
      writtenAtMs: Date.now(),
      deployments: [
        {
          ...{ deployment: 'elsewhere/a-model', state, requests: 3_000, failures: 15, meanLatencyMs: 1_250 },
          ...{ lastFailure: { reason: 'status 503', atMs: Date.now() }, readyAtMs: null },
        },
      ],
    });

  test('sees a circuit open without a reload, and which replica reports it', async () => {
    await report('closed');
    const page = await visit('/operator/health');
    const row = page.getByRole('table', { name: 'Deployments' }).getByRole('row', { name: /elsewhere\/a-model/ });
    await row.getByText('Receives requests').waitFor();
    expect(await row.innerText()).toMatch(/3,000\s+0\.5%\s+1,250 ms/);
    await page.getByText('No circuit has changed').waitFor();
    // What happened before the page receives events cannot be listed.
    await page.getByText('Live', { exact: true }).waitFor();
    await waitFor('the circuit', guardTimeoutMs, async () => {
      await report('open');
      return (await row.getByText('Off after failures').count()) > 0;
    });
    const change = page.getByRole('table', { name: 'Changes' }).getByRole('row', { name: /elsewhere\/a-model/ });
    expect(await change.first().innerText()).toMatch(/Off after failures\s+another:8080/);
    await page.getByText('In trouble').click();
    await page.waitForURL((url) => url.search === '?show=troubled');
    const shown = page.getByRole('table', { name: 'Deployments' }).locator('tbody tr');
    await waitFor('the only deployment in trouble', guardTimeoutMs, async () => (await shown.count()) === 1);
    expect(await shown.innerText()).toContain('elsewhere/a-model');
    await expectAccessible(page);
  });

  test('does not see that all is well while no proxy is running', async () => {
    const page = await operator.context.newPage();
    await page.route('**/api/operator/health', (route) => route.fulfill({ json: { replicas: [] } }));
    await page.goto(`${dashboard.admin.url}/operator/health`);
    const tile = page.locator('.tile', { hasText: 'Deployments' });
    await tile.getByText('No proxy is running').waitFor();
    expect(await tile.innerText()).not.toContain('All receive requests');
    await page.getByRole('heading', { name: 'No proxy is running' }).first().waitFor();
    await page.close();
  });

  test('can reconcile now, and follow a difference to its account', async () => {
    const page = await visit('/operator/reconciliation');
    await page.getByRole('button', { name: 'Run now' }).click();
    await page.getByText('No differences', { exact: true }).waitFor();
    const wrong = await dashboard.harness.createCustomer({ usd: '2' });
    const { sql } = dashboard.harness.database;
    await sql`UPDATE accounts SET balance_nano = balance_nano + 1, credited_nano = credited_nano + 1 WHERE id = ${wrong.accountId}`;
    await page.getByRole('button', { name: 'Run now' }).click();
    const violation = page.getByRole('table', { name: 'Violations' }).locator('tbody tr');
    await violation.first().waitFor();
    await expectAccessible(page);
    await violation.first().getByRole('link').click();
    await page.getByRole('heading', { name: wrong.email }).waitFor();
    await sql`UPDATE accounts SET balance_nano = balance_nano - 1, credited_nano = credited_nano - 1 WHERE id = ${wrong.accountId}`;
  });

  test('sees which months are sealed, what differs in one, and copies a hash', async () => {
    const page = await operator.context.newPage();
    const month = { hash: 'a7'.repeat(32), lines: 9, events: 1_512_776, sealedAt: '2026-11-08T00:10:00.000Z' };
    const months = [
      { ...month, month: '2026-10', checkedAt: null, problems: [] },
      { ...month, month: '2026-09', checkedAt: '2026-11-20T12:00:00.000Z', problems: ['The accounts differ.'] },
      { ...month, month: '2026-08', checkedAt: '2026-11-20T11:00:00.000Z', problems: [], hash: '3b'.repeat(32) },
    ];
    await page.route('**/api/operator/seals', (route) => route.fulfill({ json: { months } }), { times: 1 });
    await page.goto(`${dashboard.admin.url}/operator/reconciliation`);
    const rows = page.getByRole('table', { name: 'Sealed months' }).locator('tbody tr');
    await rows.nth(2).waitFor();
    const texts = await rows.allInnerTexts();
    expect(texts[0]).toMatch(/October 2026\s+Not yet\s+1,512,776\s+9\s/);
    expect(texts[1]).toMatch(/September 2026\s+Changed since\s+The accounts differ\./);
    expect(texts[2]).toMatch(/August 2026\s+As sealed/);
    const copy = page.getByRole('button', { name: 'Copy the hash of August 2026' });
    await operator.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await copy.click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe('3b'.repeat(32));
    await page.close();
  });

  test('sends a failed mail again, and sees if that is no longer possible', async () => {
    const recipient = `${crypto.randomUUID()}@example.com`;
    await insertMail(recipient);
    const page = await visit('/operator/mails');
    await page.getByText('User unknown').first().waitFor();
    const resend = page.getByRole('button', { name: `Send again: ${recipient}` });
    await page.route(
      '**/resend',
      (route) =>
        route.fulfill({
          status: 409,
          json: { error: { code: 'mail_not_resendable', type: 'invalid_request_error', message: 'No.', param: null } },
        }),
      { times: 1 },
    );
    await resend.click();
    await page.getByText('Its link is no longer valid').waitFor();
    await resend.click();
    await page.getByText(`The mail to ${recipient} is on its way.`).waitFor();
    await resend.waitFor({ state: 'hidden' });
  });

  test('filters the audit log, and sees what an action changed', async () => {
    const { accountId } = customer;
    const account = await visit(`/operator/accounts/${accountId}`);
    await account.getByRole('button', { name: 'More' }).click();
    await account.getByRole('menuitem', { name: 'Change limits' }).click();
    await account.getByRole('dialog').getByLabel('Tokens per minute').fill('7000');
    await account.getByRole('dialog').getByLabel('Reason').fill('<img src=x onerror=alert(1)>');
    await account.getByRole('dialog').getByRole('button', { name: 'Save limits' }).click();
    await account.getByText('Tokens per minute: 7,000').waitFor();
    const page = await visit('/operator/audit');
    await page.getByLabel('Account id').fill(String(accountId));
    await page.getByLabel('Account id').press('Enter');
    await page.getByLabel('Who').fill('operator@example.com');
    const row = page.getByRole('row', { name: /Limits changed/ });
    await waitFor('the filter', guardTimeoutMs, async () => new URL(page.url()).search.includes('actor=operator'));
    // The rows of the previous filter are shown until then.
    await settled(page);
    expect(await row.innerText()).toContain('<img src=x onerror=alert(1)>');
    await row.getByRole('button').click();
    const change = page.getByRole('dialog').getByRole('row', { name: /tokensPerMinute/ });
    expect((await change.innerText()).split(/\s*[\t\n]\s*/)).toEqual(['tokensPerMinute', '—', '7000']);
    await expectAccessible(page);
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
    await page.getByLabel('Who').fill('nobody@example.com');
    await page.getByRole('heading', { name: 'No entry matches' }).waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await row.first().waitFor();
  });

  test('keeps the page of the audit log, the focus and the way back in the field for an account', async () => {
    const address = '/operator/audit?accountId=7&cursor=900000000';
    const page = await visit(address);
    const field = page.getByLabel('Account id');
    await field.focus();
    await page.keyboard.press('Tab');
    await field.fill(String(customer.accountId));
    await field.press('Enter');
    await page.waitForURL((url) => url.search === `?accountId=${customer.accountId}`);
    await page.getByRole('row', { name: /Limits changed/ }).waitFor();
    expect(await page.evaluate<string>('document.activeElement.value')).toBe(String(customer.accountId));
    await page.getByRole('combobox', { name: 'Action' }).click();
    await page.getByRole('option', { name: 'Limits changed' }).click();
    await page.waitForURL((url) => url.search.includes('action=account.limits'));
    await page.goBack();
    await page.waitForURL((url) => url.search === `?accountId=${customer.accountId}`);
    await page.goBack();
    await page.waitForURL((url) => url.pathname + url.search === address);
    expect(await field.inputValue()).toBe('7');
  });

  test('sees a customer’s receipt with the deployment and the provider’s prices', async () => {
    const page = await visit(`/operator/accounts/${customer.accountId}?tab=requests`);
    await page.getByRole('table', { name: 'Requests' }).getByRole('link').click();
    const panel = page.getByRole('dialog', { name: 'Receipt' });
    await panel.getByText('scripted/upstream-chat').waitFor();
    await panel.getByText('× 1.2', { exact: true }).waitFor();
    // 1,234 × 0.60 + 567 × 1.80 USD per million tokens.
    expect(await panel.innerText()).toContain('$0.001761');
    await expectAccessible(page);
    await panel.getByRole('button', { name: 'Close' }).click();
    await waitFor('the address', guardTimeoutMs, async () => new URL(page.url()).search === '?tab=requests');
    dashboard.expectClean();
  });

  test.each(['?tab=keys', '?tab=requests', '?tab=transactions', '?tab=users'])(
    'has an accessible page for an account with everything in it: %s',
    async (query) => {
      await audit(`/operator/accounts/${customer.accountId}${query}`);
    },
  );

  test.each(['mails', 'mails?state=all', 'audit', 'health', 'catalogue?tab=change', 'catalogue?model=test/chat'])(
    'has an accessible page with content at /operator/%s',
    async (path) => {
      await report('open');
      await insertMail(longAddress);
      await audit(`/operator/${path}`);
    },
  );
});
