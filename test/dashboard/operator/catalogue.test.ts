/** How operators change the catalogue: mistakes, what a file changes, applying and scheduling it. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { guardTimeoutMs, waitFor } from '../../harness/account-view.ts';
import { chromiumPath } from '../../harness/clients/browser.ts';
import type { Customer } from '../../harness/customers.ts';
import { wholeResponse } from '../../harness/providers/scripted-provider.ts';
import { testCatalogue } from '../../harness/providers/test-catalogue.ts';
import { expectAccessible, expectFits } from '../harness/audit.ts';
import { type Dashboard, type DashboardVisitor, startDashboard } from '../harness/dashboard.ts';

const requests = 3;

describe.skipIf(!chromiumPath)('an operator', () => {
  let dashboard: Dashboard;
  let operator: DashboardVisitor;
  let customer: Customer;
  beforeAll(async () => {
    dashboard = await startDashboard();
    const { harness, provider, proxy } = dashboard;
    operator = await dashboard.newVisitor();
    await operator.signIn(await harness.createCustomer({ usd: '0', role: 'operator' }));
    customer = await harness.createCustomer({ usd: '5' });
    const usage = { promptTokens: 1_000_000, completionTokens: 0 };
    provider.on('upstream-chat', wholeResponse({ content: 'Hi.', usage }));
    for (let sent = 0; sent < requests; sent += 1) {
      await fetch(`${proxy.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${customer.proxyKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'test/chat', messages: [{ role: 'user', content: 'Hello' }] }),
      });
    }
    await waitFor('the usage', guardTimeoutMs, async () => {
      const [row] = await harness.database.sql<{ requests: string }[]>`
        SELECT sum(requests)::text AS requests FROM usage_totals WHERE account_id = ${customer.accountId}`;
      return row?.requests === String(requests);
    });
  });
  // A schedule of a failed test fails no other test.
  afterEach(async () => {
    await dashboard.harness.database.sql`DELETE FROM scheduled_catalogues WHERE state = 'waiting'`;
  });
  afterAll(() => dashboard?.[Symbol.asyncDispose]());

  let tab: Page | undefined;
  const visit = async (path: string) => {
    tab = await operator.visit(path, tab);
    return tab;
  };
  const check = async (page: Page, file: string) => {
    await page.getByLabel('Catalogue file').fill(file);
    await page.getByRole('button', { name: 'Check' }).click();
  };
  const current = () => testCatalogue(dashboard.provider.baseUrl);
  /** A third more expensive, and without one of the models. */
  const changed = () => {
    const file = current().replace('prompt: "0.50", completion: "1.50"', 'prompt: "0.75", completion: "1.20"');
    return `${file.slice(0, file.indexOf('  - id: test/failover'))}${file
      .slice(file.indexOf('  - id: test/failover'))
      .replace('test/failover', 'test/new')}`;
  };
  const versionInForce = async () => {
    const { sql } = dashboard.harness.database;
    const [row] = await sql<{ version: string }[]>`SELECT max(version) AS version FROM catalogue_versions`;
    return Number(row?.version);
  };
  const confirm = async (page: Page, name: string) => {
    const dialog = page.getByRole('dialog');
    await expectAccessible(page);
    await dialog.getByRole('button', { name }).click();
    await dialog.waitFor({ state: 'hidden' });
  };

  test('sees every mistake with its line, and can jump to it', async () => {
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
      '+50%',
    ]);
    const affected = page.getByRole('table', { name: 'Affected customers' }).getByRole('row', { name: customer.email });
    expect(await affected.innerText()).toMatch(/3 requests.*\$1\.80\s+\$2\.70\s+\+\$0\.90\s+\+50%/s);
    await expectAccessible(page);
    await expectFits(page);
    await page.getByText('Later').click();
    await page.getByLabel('Time', { exact: true }).fill('2001-01-01T00:00');
    await page.getByText('This time has passed. Choose a later one.').waitFor();
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

  test('can choose the same file again after it was corrected', async () => {
    const page = await visit('/operator/catalogue?tab=change');
    const field = page.locator('input[type=file]');
    for (const file of ['providers: []', current()]) {
      await field.setInputFiles({ name: 'catalogue.yaml', mimeType: 'text/yaml', buffer: Buffer.from(file) });
      await waitFor(
        'the file',
        guardTimeoutMs,
        async () => (await page.getByLabel('Catalogue file').inputValue()) === file,
      );
      // Browsers report no change of a field that has the same file already.
      expect(await field.inputValue()).toBe('');
    }
  });

  const inEnglish = {
    ...{ file: 'Catalogue file', check: 'Check', apply: 'Apply catalogue', prices: 'Changed prices', output: 'Output' },
    conflict: 'Another version has taken effect since you checked this file',
  };
  const inRussian = {
    ...{ file: 'Файл каталога', check: 'Проверить', apply: 'Применить каталог', prices: 'Изменившиеся цены' },
    ...{ output: 'Выход', conflict: 'После проверки этого файла вступила в силу другая версия каталога' },
  };
  test.each([
    ['en-GB', inEnglish],
    ['ru-RU', inRussian],
  ])('sees a catalogue that a colleague applied since the check, and reverts nothing: %s', async (locale, words) => {
    const visitor = await dashboard.newVisitor({ locale });
    await visitor.signIn(await dashboard.harness.createCustomer({ usd: '0', role: 'operator' }));
    const page = await visitor.visit('/operator/catalogue?tab=change');
    const button = (name: string) => page.getByRole('button', { name, exact: true });
    await page.getByLabel(words.file).fill(current());
    await button(words.check).click();
    await button(words.apply).click();
    await dashboard.harness.applyCatalogue(current().replace('completion: "10"', 'completion: "20"'));
    const before = await versionInForce();
    await page.getByRole('dialog').getByRole('button', { name: words.apply }).click();
    await page.getByText(words.conflict).waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(await button(words.apply).count()).toBe(0);
    expect(await versionInForce()).toBe(before);
    await expectAccessible(page);
    // The next control has the focus.
    await waitFor('the focus', guardTimeoutMs, () =>
      page.evaluate<boolean>(`document.activeElement?.textContent === '${words.check}'`),
    );
    await page.keyboard.press('Enter');
    const row = page
      .getByRole('table', { name: words.prices })
      .getByRole('row', { name: `test/priced-output ${words.output}` });
    await row.waitFor();
    expect(await page.getByText(words.conflict).count()).toBe(0);
    await button(words.apply).click();
    await page.getByRole('dialog').getByRole('button', { name: words.apply }).click();
    await waitFor('the catalogue', guardTimeoutMs, async () => (await versionInForce()) === before + 1);
    await page.close();
  });

  test('sees if the time passes while the dialog is open: nothing is applied, and nothing scheduled', async () => {
    const page = await visit('/operator/catalogue?tab=change');
    await check(page, changed());
    await page.getByText('Later').click();
    const soon = await page.evaluate<string>(
      'new Date(Date.now() + 120_000 - new Date().getTimezoneOffset() * 60_000).toISOString().slice(0, 16)',
    );
    await page.getByLabel('Time', { exact: true }).fill(soon);
    await page.getByRole('button', { name: 'Schedule catalogue' }).click();
    const dialog = page.getByRole('dialog');
    const title = await dialog.getByRole('heading').innerText();
    await page.clock.setFixedTime(Date.now() + 300_000);
    // A colleague's change renders the page again.
    const { sql } = dashboard.harness.database;
    await sql`
      INSERT INTO scheduled_catalogues (file, effective_from)
      SELECT file, now() + interval '1 year' FROM catalogue_versions ORDER BY version DESC LIMIT 1`;
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))");
    await page.getByText('Scheduled (1)').waitFor();
    const version = await versionInForce();
    expect(await dialog.getByRole('heading').innerText()).toBe(title);
    await dialog.getByRole('button', { name: 'Schedule catalogue' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await page.getByText('This time has passed. Choose a later one.').waitFor();
    expect(await page.getByRole('button', { name: 'Schedule catalogue' }).isDisabled()).toBe(true);
    expect(await versionInForce()).toBe(version);
    expect(await sql`DELETE FROM scheduled_catalogues WHERE state = 'waiting' RETURNING id`).toHaveLength(1);
  });

  test("changes the current file, applies it immediately, and finds the change in the price's history", async () => {
    const page = await visit('/operator/catalogue?tab=change');
    await page.getByRole('button', { name: 'Start from the current file' }).click();
    const file = await page.getByLabel('Catalogue file').inputValue();
    expect(file).toContain('test/chat');
    await check(page, changed());
    await page.getByRole('button', { name: 'Apply catalogue' }).click();
    await page.getByRole('dialog').getByText('Requests to removed models are refused immediately.').waitFor();
    await confirm(page, 'Apply catalogue');
    await page.getByRole('button', { name: 'test/new' }).waitFor();
    await page.getByLabel('Search models').fill('chat');
    await page.getByRole('button', { name: 'test/chat' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('In effect since').waitFor();
    const rows = dialog.getByRole('row', { name: /Output/ });
    expect((await rows.allInnerTexts()).map((text) => text.split(/\s*[\t\n]\s*/).slice(-3))).toEqual([
      ['$1.20', '$1.44', '-20%'],
      ['$1.50', '$1.80', '—'],
    ]);
    await expectAccessible(page);
    dashboard.expectClean();
  });
});
