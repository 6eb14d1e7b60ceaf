/** The billing page shows what the API returns, and what it promises before an order is what the order has. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { formatMinorUnits, kopecksToUsd, minorUnits, partsPerMillion } from '../../../admin/money/payment-money.ts';
import { dollarsFor } from '../../../dashboard/billing/payments/paid-amount.ts';
import { formatUsd, rubKopecks, rubRate } from '../../../shared/money.ts';
import { logIn } from '../../harness/account-view.ts';
import { chromiumPath } from '../../harness/clients/browser.ts';
import { type Dashboard, startDashboard } from '../harness/dashboard.ts';
import { choose, openSender, type Payment, paymentsEnvironment } from '../harness/payments.ts';

test('the credit shown for roubles, a rate and a margin is what the API books, to the nano-dollar', () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: 1n, max: 10n ** 11n }),
      fc.bigInt({ min: 1n, max: 10n ** 7n }),
      fc.bigInt({ min: 0n, max: 10n ** 6n }),
      (kopecks, rate, margin) => {
        const shown = dollarsFor(formatMinorUnits(minorUnits(kopecks)), {
          perUsd: `${rate / 10_000n}.${String(rate % 10_000n).padStart(4, '0')}`,
          marginPercent: `${margin / 10_000n}.${String(margin % 10_000n).padStart(4, '0')}`,
        });
        const booked = kopecksToUsd(rubKopecks(kopecks), rubRate(rate), partsPerMillion(margin));
        expect(shown).toBe(formatUsd(booked));
      },
    ),
  );
});

describe.skipIf(!chromiumPath)('the billing page', () => {
  let dashboard: Dashboard;
  beforeAll(async () => {
    dashboard = await startDashboard({
      adminEnvironment: { ...paymentsEnvironment, USD_RUB_RATE: '93.1234', FX_MARGIN_PERCENT: '2.5' },
    });
  });
  afterAll(() => dashboard?.[Symbol.asyncDispose]());

  /** Digits of the amounts of a text: `$1,234.50` → `1234.5`. */
  const amountsIn = (text: string) =>
    Array.from(text.matchAll(/[$₽]([\d,]+(?:\.\d+)?)/g), ([, digits = '']) => shortest(digits.replaceAll(',', '')));
  const shortest = (decimal: string) => (decimal.includes('.') ? decimal.replace(/\.?0+$/, '') : decimal);

  test('lists each payment with the amounts, the rate and the credit that the API returns', async () => {
    const customer = await dashboard.harness.createCustomer({ usd: '0' });
    const own = await openSender(dashboard.admin, customer);
    for (const [amount, currency, outcome] of [
      ['1000.01', 'RUB', 'succeed'],
      ['54321.09', 'RUB', 'succeed'],
      ['77.70', 'USD', 'succeed'],
      ['123.45', 'RUB', 'fail'],
    ] as const) {
      const { id } = await own.send<Payment>('POST', '/api/payments', { method: 'test', amount, currency });
      await choose(dashboard.admin, id, outcome);
    }
    const visitor = await dashboard.newVisitor();
    await visitor.signIn(customer);
    const page = await visitor.visit('/billing');
    const { get } = await logIn(dashboard.admin, customer);
    const { payments } = await get<{ payments: Payment[] }>('/api/payments');
    const rows = await page.locator('.data-table tbody tr').allInnerTexts();
    expect(rows.map(amountsIn)).toEqual(
      payments.map(({ amount, rate, creditUsd }) => [amount, rate, creditUsd].map(shortest)),
    );
    const { balanceUsd } = await get<{ balanceUsd: string }>('/api/balance');
    expect(amountsIn(await page.locator('.tile-value').first().innerText())).toEqual([balanceUsd]);

    // The dialog promises what the order then has.
    await page.getByRole('button', { name: 'Top up' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('radio', { name: 'Test payment' }).check();
    await dialog.getByText('Roubles, ₽', { exact: true }).click();
    await dialog.getByRole('textbox', { name: 'Amount' }).fill('4321.09');
    const promised = amountsIn(await dialog.getByText(/ will be added to your balance$/).innerText());
    await dialog.getByText('A margin of 2.5% is included.').waitFor();
    const created = await own.send<Payment>('POST', '/api/payments', {
      method: 'test',
      amount: '4321.09',
      currency: 'RUB',
    });
    expect(promised).toEqual([created.creditUsd]);
    dashboard.expectClean();
  });
});
