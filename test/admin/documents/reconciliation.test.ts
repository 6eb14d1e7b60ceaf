/** Reconciliations: what moved, on which day, between the two balances. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { ReconciliationData } from '../../../admin/documents/document-data.ts';
import { prepareIssuing } from '../../../admin/documents/document-services.ts';
import { makeDocument } from '../../../admin/documents/make-document.ts';
import { dayOf } from '../../../admin/lots/months.ts';
import { openLedger, type TestLedger } from '../ledger/ledger.ts';
import { bringBack, giveBack, pay } from '../lots/booked-money.ts';
import { billingTimeZone, documentServices, openCompanies, use } from './books.ts';

let ledger: TestLedger;
beforeAll(async () => {
  ledger = await openLedger();
});
afterAll(() => ledger.close());

const at = (text: string) => new Date(`${text}T12:00:00Z`);
/** Refunds are dated by the database's clock, so the reconciliations are made a day later. */
const tomorrow = new Date(Date.now() + 86_400_000);
const until = dayOf(tomorrow, billingTimeZone);

async function reconcile(accountId: number, from: string, to: string): Promise<ReconciliationData> {
  const issuing = prepareIssuing(documentServices(ledger, tomorrow));
  const input = { type: 'reconciliation', period: { from, to } } as const;
  const { id } = await ledger.db.transaction((transaction) => makeDocument(transaction, issuing, { accountId, input }));
  const [row] = await ledger.sql<{ data: ReconciliationData }[]>`SELECT data FROM documents WHERE id = ${id}`;
  if (row === undefined) throw new Error('no document');
  return row.data;
}

test('payments, services and returns lead from the opening to the closing balance', async () => {
  const [accountId = 0] = await openCompanies(ledger, 1);
  const paymentId = await pay(ledger, {
    accountId,
    kopecks: 100_000n,
    nano: 10_000_000_000n,
    paidAt: new Date('2026-08-31T21:30:00Z'),
  });
  await use(ledger, [{ accountId, nano: 4_000_000_000n, at: at('2026-09-10') }]);
  await giveBack(ledger, { accountId, paymentId, kopecks: 25_000n, nano: 2_500_000_000n });

  const whole = await reconcile(accountId, '2026-09-01', until);
  expect([whole.opening, whole.closing]).toEqual(['0.00', '350.00']);
  expect(whole.lines.map(({ kind, amount }) => [kind, amount])).toEqual([
    ['paid', '1000.00'],
    ['provided', '400.00'],
    ['returned', '250.00'],
  ]);
  expect(whole.lines.slice(0, 2).map(({ date }) => date)).toEqual(['2026-09-01', '2026-09-30']);
  const before = await reconcile(accountId, '2026-08-01', '2026-08-31');
  expect([before.opening, before.closing, before.lines]).toEqual(['0.00', '0.00', []]);
  const within = await reconcile(accountId, '2026-09-02', '2026-09-29');
  expect([within.opening, within.closing, within.lines]).toEqual(['1000.00', '1000.00', []]);
});

test('money that the bank took back beyond the balance is owed by the buyer', async () => {
  const [accountId = 0] = await openCompanies(ledger, 1);
  const paymentId = await pay(ledger, {
    accountId,
    kopecks: 100_000n,
    nano: 10_000_000_000n,
    paidAt: at('2026-09-01'),
  });
  await use(ledger, [{ accountId, nano: 9_000_000_000n, at: at('2026-09-10') }]);
  await giveBack(ledger, { accountId, paymentId, kopecks: 100_000n, nano: 1_000_000_000n });
  expect((await reconcile(accountId, '2026-09-01', until)).closing).toBe('-900.00');
});

test('money taken by a dispute counts as paid again once the dispute is won', async () => {
  const [accountId = 0] = await openCompanies(ledger, 1);
  const paymentId = await pay(ledger, {
    accountId,
    kopecks: 100_000n,
    nano: 10_000_000_000n,
    paidAt: at('2026-09-01'),
  });
  await giveBack(ledger, { accountId, paymentId, kopecks: 100_000n, nano: 10_000_000_000n });
  await bringBack(ledger, { accountId, paymentId, kopecks: 100_000n, nano: 10_000_000_000n });
  const { closing, lines } = await reconcile(accountId, '2026-09-01', until);
  expect(closing).toBe('1000.00');
  expect(lines.map(({ kind, amount, description }) => [kind, amount, description.split(' ')[0]])).toEqual([
    ['paid', '1000.00', 'Оплата,'],
    ['returned', '1000.00', 'Возврат'],
    ['paid', '1000.00', 'Отмена'],
  ]);
});

test('the cents of a payment in dollars are refunded at its own rate, and sum to its roubles', async () => {
  const [accountId = 0] = await openCompanies(ledger, 1);
  const paymentId = await pay(ledger, { accountId, kopecks: 90_001n, nano: 10_000_000_000n, paidAt: at('2026-09-01') });
  // In dollars from the beginning: what was ordered never changes.
  await ledger.sql`ALTER TABLE payments DISABLE TRIGGER payments_change`;
  await ledger.sql`UPDATE payments SET currency = 'USD', amount_minor = 1000 WHERE id = ${paymentId}`;
  await ledger.sql`ALTER TABLE payments ENABLE TRIGGER payments_change`;
  for (const cents of [333n, 333n, 334n]) {
    await giveBack(ledger, { accountId, paymentId, kopecks: cents, nano: cents * 10_000_000n });
  }
  const { closing, lines } = await reconcile(accountId, '2026-09-01', until);
  expect(closing).toBe('0.00');
  expect(lines.map(({ amount }) => amount)).toEqual(['900.01', '299.70', '299.70', '300.61']);
});
