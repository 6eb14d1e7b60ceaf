/** Reconciliations: what moved, on which day, between the two balances. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { ReconciliationData } from '../../../admin/documents/document-data.ts';
import { prepareIssuing } from '../../../admin/documents/document-services.ts';
import { makeDocument } from '../../../admin/documents/make-document.ts';
import { dayOf } from '../../../admin/lots/months.ts';
import { formatMinorUnits, minorUnits } from '../../../admin/money/payment-money.ts';
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

const nanoPerCent = 10_000_000n;
const payDollars = (accountId: number, cents: bigint, kopecks: bigint) =>
  pay(ledger, { accountId, cents, kopecks, nano: cents * nanoPerCent, paidAt: at('2026-09-01') });

test('the cents of a payment in dollars are refunded at its own rate, and sum to its roubles', async () => {
  const [accountId = 0] = await openCompanies(ledger, 1);
  const paymentId = await payDollars(accountId, 1_000n, 90_001n);
  for (const cents of [333n, 333n, 334n]) {
    await giveBack(ledger, { accountId, paymentId, kopecks: cents, nano: cents * nanoPerCent });
  }
  const { closing, lines } = await reconcile(accountId, '2026-09-01', until);
  expect(closing).toBe('0.00');
  expect(lines.map(({ amount }) => amount)).toEqual(['900.01', '299.71', '299.70', '300.60']);
});

test('for any usage and refunds in dollars, the closing balance is what is open of the lots', async () => {
  const payment = fc.record({
    cents: fc.bigInt({ min: 1n, max: 100_000n }),
    kopecksPerCent: fc.integer({ min: 5_000, max: 20_000 }),
    /** In thousandths of what is left. */
    refunds: fc.array(fc.bigInt({ min: 1n, max: 1_000n }), { maxLength: 3 }),
  });
  const share = fc.bigInt({ min: 0n, max: 1_000n });
  await fc.assert(fc.asyncProperty(fc.array(payment, { minLength: 1, maxLength: 3 }), share, agree), {
    numRuns: 8,
    examples: [[[{ cents: 1_000n, kopecksPerCent: 9_001, refunds: [333n] }], 0n]],
  });
});

interface DrawnPayment {
  readonly cents: bigint;
  readonly kopecksPerCent: number;
  readonly refunds: readonly bigint[];
}

async function agree(drawn: readonly DrawnPayment[], usedShare: bigint): Promise<void> {
  const [accountId = 0] = await openCompanies(ledger, 1);
  const open: { paymentId: string; cents: bigint; refunds: readonly bigint[] }[] = [];
  for (const { cents, kopecksPerCent, refunds } of drawn) {
    const kopecks = (cents * BigInt(kopecksPerCent)) / 100n + 1n;
    open.push({ paymentId: await payDollars(accountId, cents, kopecks), cents, refunds });
  }
  // The first payment alone is used, so that each refund finds its own lot.
  const usedNano = ((drawn[0]?.cents ?? 0n) * nanoPerCent * usedShare) / 1_000n;
  if (usedNano > 0n) await use(ledger, [{ accountId, nano: usedNano, at: at('2026-09-10') }]);
  for (const [index, { paymentId, cents, refunds }] of open.entries()) {
    let left = cents - (index === 0 ? (usedNano + nanoPerCent - 1n) / nanoPerCent : 0n);
    for (const part of refunds) {
      const refunded = (left * part) / 1_000n;
      left -= refunded;
      if (refunded > 0n)
        await giveBack(ledger, { accountId, paymentId, kopecks: refunded, nano: refunded * nanoPerCent });
    }
  }
  const { closing } = await reconcile(accountId, '2026-09-01', until);
  const [lots] = await ledger.sql<{ open: string }[]>`
    SELECT sum(kopecks - used_kopecks - returned_kopecks) AS open FROM lots WHERE account_id = ${accountId}`;
  expect(closing).toBe(formatMinorUnits(minorUnits(BigInt(lots?.open ?? '0'))));
}
