/** How operators change the catalogue: mistakes, what a file changes, applying and scheduling it. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { waitFor } from '../../harness/account-view.ts';
import { chromiumPath } from '../../harness/clients/browser.ts';
import type { Customer } from '../../harness/customers.ts';
import { answerWhole } from '../../harness/providers/scripted-provider.ts';
import { testCatalogue } from '../../harness/providers/test-catalogue.ts';
import { expectAccessible, expectFits } from '../harness/audit.ts';
import { type Dashboard, type DashboardVisitor, startDashboard } from '../harness/dashboard.ts';

const requests = 3;

describe.skipIf(!chromiumPath)('an operator', () => {
  let dashboard: Dashboard;
  let operator: DashboardVisitor;
  let customer: Customer;
  const tabs: Page[] = [];
  beforeAll(async () => {
    dashboard = await startDashboard();
    const { harness, provider, proxy } = dashboard;
    operator = await dashboard.newVisitor();
    await operator.signIn(await harness.createCustomer({ usd: '0', role: 'operator' }));
    customer = await harness.createCustomer({ usd: '5' });
    const usage = { promptTokens: 1_000_000, completionTokens: 0 };
    provider.on('upstream-chat', answerWhole({ content: 'Hi.', usage }));
    for (let sent = 0; sent < requests; sent += 1) {
      await fetch(`${proxy.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${customer.proxyKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'test/chat', messages: [{ role: 'user', content: 'Hello' }] }),
      });
    }
    await waitFor('the usage', 20_000, async () => {
      const [row] = await harness.database.sql<{ requests: string }[]>`
        SELECT sum(requests)::text AS requests FROM usage_totals WHERE account_id = ${customer.accountId}`;
      return row?.requests === String(requests);
    });
  });
  afterEach(() => Promise.all(tabs.splice(0).map((tab) => tab.close())));
  afterAll(() => dashboard?.[Symbol.asyncDispose]());

  const visit = async (path: string) => {
    const page = await operator.visit(path);
    tabs.push(page);
    return page;
  };
  const check = async (page: Page, file: string) => {
    await page.getByLabel('Catalogue file').fill(file);
    await page.getByRole('button', { name: 'Check' }).click();
  };
  const current = () => testCatalogue(dashboard.provider.baseUrl);
  /** A third dearer, and without one of the models. */
  const changed = () => {
    const file = current().replace('prompt: "0.50", completion: "1.50"', 'prompt: "0.75", completion: "1.20"');
    return `${file.slice(0, file.indexOf('  - id: test/failover'))}${file
      .slice(file.indexOf('  - id: test/failover'))
      .replace('test/failover', 'test/new')}`;
  };
  const confirm = async (page: Page, name: string) => {
    const dialog = page.getByRole('dialog');
    await expectAccessible(page);
    await dialog.getByRole('button', { name }).click();
    await dialog.waitFor({ state: 'hidden' });
  };

  test('is told every mistake with its line, and is led to it', async () => {
    const page = await visit('/operator/catalogue?tab=change');
    const file = current().replace('"0.50"', '0.5').replace('kind: chat', 'kind: opera');
    await check(page, file);
    await page.getByText('2 mistakes').waitFor();
    await expectAccessible(page);
    const line = file.split('\n').findIndex((text) => text.includes('kind: opera')) + 1;
    await page.getByRole('button', { name: `Line ${line}` }).click();
    const selected: string = await page.evaluate(
      'document.activeElement.value.slice(document.activeElement.selectionStart, document.activeElement.selectionEnd)',
    );
    expect(selected.trim()).toBe('kind: opera');
    expect(await page.getByRole('button', { name: 'Apply catalogue' }).count()).toBe(0);
  });

  test('sees what a file changes and for whom before it is scheduled, and cancels it', async () => {
    const page = await visit('/operator/catalogue?tab=change');
    await check(page, changed());
    await page.getByRole('heading', { name: '1 model added' }).waitFor();
    await page.getByRole('heading', { name: '1 model removed' }).waitFor();
    const input = page.getByRole('table', { name: 'Changed prices' }).getByRole('row', { name: /test\/chat Input/ });
    expect((await input.innerText()).split(/\s*[\t\n]\s*/)).toEqual([
      'test/chat',
      'Input',
      '$0.60',
      '$0.90',
      '+$0.30',
      '+50 %',
    ]);
    const affected = page.getByRole('table', { name: 'Affected customers' }).getByRole('row', { name: customer.email });
    expect(await affected.innerText()).toMatch(/3 requests.*\$1\.80\s+\$2\.70\s+\+\$0\.90\s+\+50 %/s);
    await expectAccessible(page);
    await expectFits(page);
    await page.getByText('At a time').click();
    await page.getByLabel('Time', { exact: true }).fill('2001-01-01T00:00');
    await page.getByText('Choose a time in the future').waitFor();
    expect(await page.getByRole('button', { name: 'Schedule catalogue' }).isDisabled()).toBe(true);
    await page.getByLabel('Time', { exact: true }).fill('2099-01-01T00:00');
    await page.getByRole('button', { name: 'Schedule catalogue' }).click();
    await confirm(page, 'Schedule catalogue');
    await page.getByRole('tab', { name: 'Scheduled (1)' }).waitFor();
    await page.getByRole('button', { name: 'Show changes' }).click();
    await page.getByRole('dialog').getByRole('heading', { name: '1 model removed' }).waitFor();
    await expectAccessible(page);
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
    await page.getByRole('button', { name: 'Cancel change' }).click();
    await confirm(page, 'Cancel change');
    await page.getByRole('heading', { name: 'Nothing is scheduled' }).waitFor();
  });

  test('changes the current file, applies it at once, and finds the change in the history of the price', async () => {
    const page = await visit('/operator/catalogue?tab=change');
    await page.getByRole('button', { name: 'Start from the current file' }).click();
    const file = await page.getByLabel('Catalogue file').inputValue();
    expect(file).toContain('test/chat');
    await check(page, changed());
    await page.getByRole('button', { name: 'Apply catalogue' }).click();
    await page.getByRole('dialog').getByText('Requests to removed models are refused at once.').waitFor();
    await confirm(page, 'Apply catalogue');
    await page.getByRole('button', { name: 'test/new' }).waitFor();
    await page.getByLabel('Search models').fill('chat');
    await page.getByRole('button', { name: 'test/chat' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('In force since').waitFor();
    const rows = dialog.getByRole('row', { name: /Output/ });
    expect((await rows.allInnerTexts()).map((text) => text.split(/\s*[\t\n]\s*/).slice(-3))).toEqual([
      ['$1.20', '$1.44', '-20 %'],
      ['$1.50', '$1.80', '—'],
    ]);
    await expectAccessible(page);
    dashboard.expectClean();
  });
});
