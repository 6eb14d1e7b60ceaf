/** From the chart of spend to one receipt, and the same sum at each level: in a time zone whose days are not UTC's. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { applyCharges } from '../../../admin/ledger/charges/apply-charges.ts';
import { sumDecimals } from '../../../dashboard/app/money/decimal.ts';
import { formatUsd } from '../../../dashboard/app/money/format-money.ts';
import { chargeOf } from '../../admin/ledger/ledger.ts';
import { guardTimeoutMs, waitFor } from '../../harness/account-view.ts';
import { chromiumPath } from '../../harness/clients/browser.ts';
import type { Customer } from '../../harness/customers.ts';
import { wholeResponse } from '../../harness/providers/scripted-provider.ts';
import { expectAccessible, expectAudited } from '../harness/audit.ts';
import { type Dashboard, type DashboardVisitor, follow, settled, startDashboard } from '../harness/dashboard.ts';
import { zoneByDay } from '../harness/zone-by-day.ts';

const timezoneId = zoneByDay();
const hourMs = 3_600_000;
const models = ['test/chat', 'test/failover', 'other/model'];
const chargeCount = 180;

describe.skipIf(!chromiumPath)('a cost', () => {
  let dashboard: Dashboard;
  let customer: Customer;
  let visitor: DashboardVisitor;
  let token: string;

  beforeAll(async () => {
    dashboard = await startDashboard();
    const { harness, provider } = dashboard;
    provider.on('upstream-chat', wholeResponse({ content: 'Hi.', usage: { promptTokens: 10, completionTokens: 5 } }));
    customer = await harness.createCustomer({ usd: '5' });
    const [price] = await harness.database.sql`SELECT version FROM model_prices WHERE model = 'test/chat'`;
    const now = Date.now();
    const charges = [...new Array(chargeCount).keys()].map((n) => {
      const chargedAt = new Date(now - hourMs - n * hourMs);
      const isEstimate = n % 9 === 0;
      const change = { keyId: customer.proxyKeyId, costNano: BigInt(7_000 + n * 13), chargedAt };
      const charge = chargeOf(customer.accountId, { ...change, ...(isEstimate && { rank: 1 as const }) });
      const detail = { model: models[n % 3] ?? '', priceVersion: Number(price?.version), estimated: isEstimate };
      return { ...charge, detail: { ...charge.detail, ...detail } };
    });
    // Some estimates are corrected a day later, most of them downwards.
    const corrections = charges
      .filter(({ rank }, n) => rank === 1 && n > 30)
      .map((charge, n) => ({
        ...charge,
        rank: 2 as const,
        costNano: charge.costNano + BigInt(n === 0 ? 999 : -999),
        chargedAt: new Date(charge.chargedAt.getTime() + 24 * hourMs),
        detail: { ...charge.detail, estimated: false },
      }));
    await applyCharges(harness.database.sql, charges);
    await applyCharges(harness.database.sql, corrections);
    visitor = await dashboard.newVisitor({ timezoneId });
    await visitor.signIn(customer);
    token = await logIn();
  });
  let tab: Page | undefined;
  const visit = async (path: string) => {
    tab = await visitor.visit(path, tab);
    return tab;
  };
  afterAll(() => dashboard?.[Symbol.asyncDispose]());

  const logIn = async () => {
    const response = await fetch(`${dashboard.admin.url}/api/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: customer.email, password: 'correct horse battery staple' }),
    });
    return ((await response.json()) as { accessToken: string }).accessToken;
  };
  const get = async <Body>(path: string): Promise<Body> => {
    const response = await fetch(dashboard.admin.url + path, { headers: { authorization: `Bearer ${token}` } });
    expect(response.status).toBe(200);
    return (await response.json()) as Body;
  };
  const shown = (amount: string) => formatUsd(amount, 'en');
  const decimals = (texts: readonly string[]) => texts.map((text) => text.replaceAll(/[$,+]/g, ''));
  const legend = (page: Page) => page.locator('.usage-legend .amount').allInnerTexts();
  const costs = (page: Page, table: string) =>
    page.getByRole('table', { name: table }).locator('tbody td:last-child .amount').allInnerTexts();

  test('is explained in three clicks, and each level has the sum of the one above', async () => {
    const page = await visit('/');
    const total = await page.locator('.usage-chart-total').innerText();
    expect(shown(sumDecimals(decimals(await legend(page))))).toBe(total);
    const columns = page.locator('.usage-chart-column');
    const labels = await Promise.all((await columns.all()).map((column) => column.getAttribute('aria-label')));
    const daily = labels.map((label) => label?.split(': ')[1] ?? '');
    expect(daily.length).toBe(30);
    expect(shown(sumDecimals(decimals(daily)))).toBe(total);

    // The chart → the day before the last.
    await columns.nth(-2).click();
    // What is under the pointer on the next page would be shown instead of the whole.
    await page.mouse.move(0, 0);
    await page.getByRole('heading', { name: 'Usage' }).waitFor();
    await settled(page);
    const ofDay = await page.locator('.usage-chart-total').innerText();
    expect(ofDay).toBe(daily.at(-2) ?? '');
    expect(shown(sumDecimals(decimals(await costs(page, 'Model'))))).toBe(ofDay);
    expect(shown(sumDecimals(decimals(await costs(page, 'Hour'))))).toBe(ofDay);

    // The day → its requests.
    await page.getByRole('link', { name: 'Show requests' }).click();
    await page.getByRole('heading', { name: 'Activity' }).waitFor();
    await settled(page);
    await waitFor('the sum', guardTimeoutMs, async () => (await page.locator('.request-sum strong').count()) === 1);
    expect(await page.locator('.request-sum strong').innerText()).toBe(ofDay);
    const booked = await page.locator('.request-table td:nth-child(6) .amount').allInnerTexts();
    expect(shown(sumDecimals(decimals(booked)))).toBe(ofDay);

    // The request → its receipt.
    await page.locator('.row-link').first().click();
    await page.getByRole('heading', { name: 'Receipt' }).waitFor();
    await page.locator('.receipt-total').first().waitFor();
    const requestId = new URL(page.url()).searchParams.get('request');
    const receipt = await get<{ charged: string; balanceAfter: string }>(`/api/requests/${requestId}`);
    expect(await page.locator('.receipt-charged').innerText()).toBe(shown(receipt.charged));
    expect(await page.locator('.receipt-total td').last().innerText()).toBe(shown(receipt.charged));
    await page.getByText(shown(receipt.balanceAfter)).waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { name: 'Receipt' }).waitFor({ state: 'hidden' });
    expect(new URL(page.url()).searchParams.has('request')).toBe(false);
    dashboard.expectClean();
  });

  test('the cost of each day and model is the same in the API’s usage and in its requests', async () => {
    const { usage } = await get<{ usage: { day: string; model: string; cost: string }[] }>(
      `/api/usage?timeZone=${timezoneId}&groupBy=day,model`,
    );
    const page = await visit('/usage');
    expect(await page.locator('.usage-chart-total').innerText()).toBe(
      shown(sumDecimals(usage.map(({ cost }) => cost))),
    );
    const rows = page.getByRole('table', { name: 'Day' }).getByRole('row');
    const days = [...new Set(usage.map(({ day }) => day))];
    let list: Page | undefined;
    expect(await rows.count()).toBe(days.length + 1);
    for (const [index, day] of days.toReversed().slice(0, 3).entries()) {
      const cost = sumDecimals(usage.filter((row) => row.day === day).map((row) => row.cost));
      expect(
        await rows
          .nth(index + 1)
          .locator('.amount')
          .last()
          .innerText(),
      ).toBe(shown(cost));
      for (const { model, cost: ofModel } of usage.filter((row) => row.day === day)) {
        const path = `/activity?from=${day}&to=${day}&model=${encodeURIComponent(model)}`;
        if (list === undefined) list = await visitor.visit(path);
        else await follow(list, path);
        await list.locator('.request-sum strong').waitFor();
        expect(await list.locator('.request-sum strong').innerText()).toBe(shown(ofModel));
      }
    }
    await list?.close();
  });

  test('is in the CSV file of its period', async () => {
    const page = await visit('/usage');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export CSV' }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/^usage-\d{4}-\d\d-\d\d-\d{4}-\d\d-\d\d\.csv$/);
    const [head = '', ...lines] = (await Bun.file(await download.path()).text()).trim().split('\r\n');
    const column = head.split(',').indexOf('cost');
    const sum = sumDecimals(lines.map((line) => line.split(',')[column] ?? ''));
    expect(shown(sum)).toBe(await page.locator('.usage-chart-total').innerText());
  });

  test('the cost of a new request appears in the list by itself', async () => {
    const page = await visit('/activity');
    const newest = () => page.locator('.request-table tbody tr').first().innerText();
    const before = await newest();
    await fetch(`${dashboard.proxy.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${customer.proxyKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'test/chat', messages: [{ role: 'user', content: 'Hello' }] }),
    });
    await waitFor('the request in the list', guardTimeoutMs, async () => (await newest()) !== before);
    expect(await newest()).toContain('$0.000015');
  });

  test('is a transaction with the balance after it, as in the API', async () => {
    const { transactions } = await get<{ transactions: { amountUsd: string; balanceAfter: string }[] }>(
      '/api/transactions?limit=50',
    );
    const page = await visit('/transactions');
    const cells = async (index: number) =>
      decimals(await page.locator(`.data-table td:nth-child(${index}) .amount`).allInnerTexts());
    expect((await cells(4)).map(Number)).toEqual(transactions.map(({ amountUsd }) => Number(amountUsd)));
    expect((await cells(5)).map(shown)).toEqual(transactions.map(({ balanceAfter }) => shown(balanceAfter)));
    await page.getByRole('link', { name: 'Next page' }).click();
    await page.getByRole('link', { name: 'Back to the newest' }).waitFor();
    await page.goBack();
    await page.getByRole('link', { name: 'Back to the newest' }).waitFor({ state: 'hidden' });
  });

  test('a cost on a receipt is shown accessibly, and fits a phone', async () => {
    const { requests } = await get<{ requests: { requestId: string }[] }>('/api/requests?limit=1');
    await expectAudited(await visit(`/activity?request=${requests[0]?.requestId}`));
    dashboard.expectClean();
  });

  test.each([
    '/',
    '/usage',
    '/usage?by=key&show=tokens',
    '/usage?from=2020-01-01&to=2020-01-01',
    '/activity',
    '/activity?model=none',
    '/transactions',
    '/transactions?type=refund',
  ])('a cost on %s is shown accessibly, and fits a phone', async (path) => {
    const page = tab ?? (await visit('/'));
    await follow(page, path);
    await expectAudited(page);
    dashboard.expectClean();
  });
});
