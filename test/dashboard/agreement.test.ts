/** The pages show what the API returns, to the nano-dollar, for an account with a random history. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Locator, Page } from 'playwright-core';
import { createKey } from '../../admin/keys/create-key.ts';
import { type SpentName, windowedLimits } from '../../shared/limits/spend-limits.ts';
import { formatUsd, nanoUsd } from '../../shared/money.ts';
import { type AccountView, logIn } from '../harness/account-view.ts';
import { chromiumPath } from '../harness/clients/browser.ts';
import type { Customer } from '../harness/customers.ts';
import { SeededRandom } from '../harness/seeded-random.ts';
import { type Dashboard, type DashboardVisitor, follow, settled, startDashboard } from './harness/dashboard.ts';
import { bookHistory } from './harness/history.ts';
import { zoneByDay } from './harness/zone-by-day.ts';

/** Another seed finds other accounts. */
const seed = 6;
const requests = 120;
const days = 4;
/** The zone of the browser and of the API requests. */
const timeZone = zoneByDay();

describe.skipIf(!chromiumPath)('a page shows what the API returns:', () => {
  const random = new SeededRandom(seed);
  let dashboard: Dashboard;
  let customer: Customer;
  let visitor: DashboardVisitor;
  let get: AccountView['get'];
  beforeAll(async () => {
    dashboard = await startDashboard();
    const { harness } = dashboard;
    const { database, keyPepper } = harness;
    customer = await harness.createCustomer({ usd: '0' });
    const { accountId } = customer;
    const key = { accountId, kind: 'proxy', name: 'second', expiresAt: null } as const;
    const second = await createKey(database.db, keyPepper, key);
    const keyIds = [customer.proxyKeyId, second.id];
    await bookHistory(harness, { accountId, keyIds, requests, days, random });
    for (let credits = 0; credits < 3; credits += 1) {
      await harness.credit(accountId, formatUsd(nanoUsd(BigInt(random.integer(1, 9_000_000_000)))));
    }
    visitor = await dashboard.newVisitor({ timezoneId: timeZone });
    await visitor.signIn(customer);
    ({ get } = await logIn(dashboard.admin, customer));
  });
  afterAll(() => dashboard?.[Symbol.asyncDispose]());

  let tab: Page | undefined;
  const visit = async (path: string) => {
    tab = await visitor.visit(path, tab);
    return tab;
  };
  /** All of them: a long table draws what fits on a screen first. */
  const rowsOf = async (page: Page) => {
    await settled(page);
    return page.locator('.data-table tbody tr').all();
  };
  const amountsOf = async (cells: readonly Locator[]) => {
    const texts = await Promise.all(
      cells.map(async (cell) => cell.locator('.cell-number .amount, .aligned .amount').allInnerTexts()),
    );
    return texts.map((amounts) => amounts.map(decimalOf));
  };
  const tile = async (page: Page, label: string) => {
    const own = page.locator('.tile').filter({ has: page.getByText(label, { exact: true }) });
    return decimalOf(await own.locator('.tile-value').innerText());
  };
  interface Usage {
    readonly usage: readonly {
      day: string;
      hour: string;
      model: string;
      keyId: number;
      projectId: number | null;
      memberId: number | null;
      cost: string;
    }[];
  }
  const usageOf = (query: string) => get<Usage>(`/api/usage?${query}&timeZone=${encodeURIComponent(timeZone)}`);
  const dayIn = (at: Date) => new Intl.DateTimeFormat('en-CA', { timeZone }).format(at);
  const ago = (count: number) => dayIn(new Date(Date.now() - count * 86_400_000));
  const sum = (costs: readonly string[]) => formatUsd(nanoUsd(costs.reduce((total, cost) => total + nanoOf(cost), 0n)));
  const sumBy = <Row extends { cost: string }>(rows: readonly Row[], key: (row: Row) => unknown) =>
    [...Map.groupBy(rows, key).values()].map((group) => sum(group.map(({ cost }) => cost)));

  test('the overview with the balance and the spend of today', async () => {
    const page = await visit('/');
    const balance = await get<{ balanceUsd: string; reservedUsd: string }>('/api/balance');
    expect(await tile(page, 'Balance')).toBe(balance.balanceUsd);
    expect(await tile(page, 'Reserved')).toBe(balance.reservedUsd);
    const { usage } = await usageOf(`from=${ago(0)}&to=${ago(-1)}&groupBy=day,model`);
    expect(await tile(page, 'Spend today')).toBe(sum(usage.map(({ cost }) => cost)));
  });

  test('keys with what each has spent today and this month', async () => {
    const page = await visit('/keys');
    const { keys } = await get<{ keys: Record<'name' | `${SpentName}Usd`, string>[] }>('/api/proxy-keys');
    expect(keys.length).toBe(2);
    for (const key of keys) {
      const row = page.getByRole('row', { name: new RegExp(key.name) });
      expect(await amountsOf([row])).toEqual([windowedLimits.map(({ spent }) => key[`${spent.name}Usd`])]);
    }
  });

  test('usage with the sums of models, keys, projects, members and days, which add up', async () => {
    const from = ago(29);
    for (const [by, key] of [
      ['model', ({ model }: Usage['usage'][number]) => model],
      ['key', ({ keyId }: Usage['usage'][number]) => keyId],
      ['project', ({ projectId }: Usage['usage'][number]) => projectId],
      ['member', ({ memberId }: Usage['usage'][number]) => memberId],
    ] as const) {
      const page = tab ?? (await visit('/usage'));
      await follow(page, `/usage?by=${by}`);
      const { usage } = await usageOf(`from=${from}&to=${ago(-1)}&groupBy=day,${by}`);
      const total = sum(usage.map(({ cost }) => cost));
      expect(await tile(page, 'Spend')).toBe(total);
      const [groups, slots] = [page.locator('.data-table').nth(0), page.locator('.data-table').nth(1)];
      const shownGroups = (await amountsOf(await groups.locator('tbody tr').all())).flat();
      expect(shownGroups.toSorted()).toEqual(sumBy(usage, key).toSorted());
      const shownDays = (await amountsOf(await slots.locator('tbody tr').all())).flat();
      expect(shownDays.toSorted()).toEqual(sumBy(usage, ({ day }) => day).toSorted());
      expect(sum(shownGroups)).toBe(total);
      expect(sum(shownDays)).toBe(total);
    }
  });

  test('a day of usage with the sum of its requests, which activity lists', async () => {
    const day = ago(2);
    const page = await visit(`/usage?from=${day}&to=${day}`);
    const total = await tile(page, 'Spend');
    const { usage } = await usageOf(`from=${day}&to=${ago(1)}&groupBy=hour,model`);
    expect(total).toBe(sum(usage.map(({ cost }) => cost)));
    await follow(page, `/activity?from=${day}&to=${day}`);
    const booked = page.locator('.request-sum .amount');
    await booked.waitFor();
    expect(decimalOf(await booked.innerText())).toBe(total);
    const rows = (await amountsOf(await rowsOf(page))).flat();
    expect(sum(rows)).toBe(total);
  });

  test('activity with each request, and its receipt with prices, parts, rounding and the balance', async () => {
    const list = await get<{ requests: { requestId: string; booked: string }[] }>(
      '/api/requests?limit=50&replaced=true',
    );
    const page = await visit('/activity');
    expect((await amountsOf(await rowsOf(page))).flat()).toEqual(list.requests.map(({ booked }) => booked));
    for (const { requestId } of random.shuffle(list.requests).slice(0, 5)) {
      const receipt = await get<Receipt>(`/api/requests/${requestId}`);
      await follow(page, `/activity?request=${requestId}`);
      const panel = page.getByRole('dialog', { name: 'Receipt' });
      await panel.locator('.receipt-cost').waitFor();
      const { cost, charged, balanceAfter } = receipt;
      const parts = cost.parts.filter(({ tokens }) => tokens > 0);
      const cells = await amountsOf(await panel.locator('.receipt-cost tbody tr').all());
      expect(cells).toEqual([
        ...parts.map(({ perMillionTokens, amount }) => [perMillionTokens, amount]),
        [cost.exact],
        [cost.rounding],
        [cost.total],
      ]);
      expect(decimalOf(await panel.locator('.receipt-charged').innerText())).toBe(charged);
      expect(decimalOf(await panel.locator('dd strong').innerText())).toBe(balanceAfter);
    }
  });

  test('transactions with each amount and the balance after it, on every page', async () => {
    const page = await visit('/transactions');
    for (let offset = 0; offset < requests; offset += 50) {
      const { transactions } = await get<{ transactions: { amountUsd: string; balanceAfter: string }[] }>(
        `/api/transactions?limit=50&offset=${offset}`,
      );
      const last = transactions.at(-1)?.balanceAfter ?? '';
      await page.locator('.data-table tbody tr:last-child td:last-child', { hasText: shown(last) }).waitFor();
      expect(await amountsOf(await rowsOf(page))).toEqual(
        transactions.map(({ amountUsd, balanceAfter }) => [amountUsd, balanceAfter]),
      );
      const next = page.getByRole('link', { name: 'Next page' });
      if ((await next.count()) > 0) await next.click();
    }
    dashboard.expectClean();
  });
});

interface Receipt {
  readonly charged: string;
  readonly balanceAfter: string;
  readonly cost: {
    readonly parts: readonly { tokens: number; perMillionTokens: string; amount: string }[];
    readonly exact: string;
    readonly rounding: string;
    readonly total: string;
  };
}

/** `+$1,234.50` → `1234.5`, as the API writes it. */
function decimalOf(text: string): string {
  const { sign, digits = '' } = /^(?<sign>[+−-]?)\$(?<digits>[\d,.]+)$/.exec(text.trim())?.groups ?? {};
  if (digits === '') throw new Error(`no amount: ${text}`);
  const decimal = digits.replaceAll(',', '').replace(/\.?0+$/, '');
  return (sign === '' || sign === '+' ? '' : '-') + decimal;
}

/** `1234.5` → `1,234.5`, the digits that a page shows at least. */
function shown(decimal: string): string {
  const [whole = '', fraction] = decimal.replace('-', '').split('.');
  const grouped = whole.replaceAll(/\B(?=(\d{3})+$)/g, ',');
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

function nanoOf(decimal: string): bigint {
  const [whole = '0', fraction = ''] = decimal.split('.');
  return BigInt(whole + fraction.padEnd(9, '0'));
}
