/** Refunds and operators' decisions about payments: never too much, once, and through the provider first. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { paymentEventsSchema } from '../../../../admin/api/payments/payment-schemas.ts';
import { applyCharges } from '../../../../admin/ledger/charges/apply-charges.ts';
import { minorUnits } from '../../../../admin/money/payment-money.ts';
import { createRefund } from '../../../../admin/payments/refunds/create-refund.ts';
import { violationsAtRest } from '../../../harness/books.ts';
import { yookassaNotification } from '../../../harness/payments/yookassa-wire.ts';
import { chargeOf } from '../../ledger/ledger.ts';
import type { AccountDetail, AuditList } from '../response-types.ts';
import { type OperatorPayment, type PaymentBench, rub, startPayments } from './start-payments.ts';

let bench: PaymentBench;
beforeAll(async () => {
  bench = await startPayments();
});
afterAll(() => bench.stop());

async function paid(amount = '1000') {
  const customer = await bench.newCustomer();
  const { body: payment } = await bench.createPayment(customer.token, rub(amount));
  const held = bench.yookassa.of(payment.id);
  bench.yookassa.pay(held);
  await bench.api.call('POST', '/api/webhooks/yookassa', yookassaNotification(held));
  await bench.work();
  return { ...customer, paymentId: payment.id, held };
}

async function invoice() {
  const customer = await bench.newCompany();
  const { body } = await bench.createPayment(customer.token, { ...rub('1000'), method: 'invoice' });
  return { ...customer, paymentId: body.id };
}

const viewOf = async (accountId: number) =>
  (await bench.api.call<AccountDetail>('GET', `/api/operator/accounts/${accountId}`, { token: bench.operator.token }))
    .body;
/** Other tests charge accounts in the ledger only. */
const violationsOf = async (accountId: number) =>
  (await violationsAtRest(bench.harness, [accountId])).filter((violation) =>
    violation.startsWith(`account ${accountId}:`),
  );
const use = (accountId: number, costNano: bigint) =>
  applyCharges(bench.harness.database.sql, [chargeOf(accountId, { costNano })]);

describe('a refund', () => {
  test('returns a part through the provider, then takes it from the balance as a negative payment', async () => {
    const { accountId, paymentId, held } = await paid();
    const { status, body } = await bench.decide(paymentId, 'refund', { amount: '300.00', reason: 'Paid too much' });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      status: 'succeeded',
      refundedAmount: '300.00',
      refunds: [{ status: 'succeeded', amount: '300.00', isReversal: false }],
    });
    expect(held.refundedMinor).toBe(30_000n);
    const { balance, transactions, wallet } = await viewOf(accountId);
    expect(balance).toBe('7.777777778');
    expect(wallet).toEqual({ available: '7.777777778', reserved: '0' });
    expect(transactions[0]).toMatchObject({
      type: 'payment',
      amountUsd: '-3.333333333',
      description: 'Refund of 300.00 RUB',
    });
    expect(await violationsOf(accountId)).toEqual([]);
  });

  test('a refund of a payment that was booked after the lots were counted counts its lot itself', async () => {
    const { paymentId } = await paid();
    const input = { paymentId, amountMinor: minorUnits(300_00n), reason: 'Paid too much' };
    const actor = { name: 'operator', userId: null, address: null, requestId: null };
    const { db } = bench.harness.database;
    const id = await db.transaction((transaction) => createRefund(transaction, bench.payments, { input, actor }));
    expect(id).toBeString();
  });

  test('a refund of everything leaves nothing, and the payment is refunded', async () => {
    const { accountId, paymentId } = await paid('777.77');
    await bench.decide(paymentId, 'refund', { amount: '333.33', reason: 'A part' });
    const { body } = await bench.decide(paymentId, 'refund', { reason: 'The rest' });
    expect(body).toMatchObject({ status: 'refunded', refundedAmount: '777.77' });
    expect((await viewOf(accountId)).balance).toBe('0');
  });

  test('a refund with one Idempotency-Key is made once, however often it is sent', async () => {
    const { paymentId, held } = await paid();
    const input = { amount: '100', reason: 'Paid too much' };
    await Promise.all(Array.from({ length: 5 }, () => bench.decide(paymentId, 'refund', input, 'key-of-refund')));
    await bench.decide(paymentId, 'refund', input, 'key-of-refund');
    expect(held.refundedMinor).toBe(10_000n);
  });

  test('never exceeds the unused part of the payment', async () => {
    const { accountId, paymentId } = await paid();
    await bench.harness.credit(accountId, '50');
    await use(accountId, 5_555_555_555n);
    const { status, error } = await bench.decide(paymentId, 'refund', { amount: '500.02', reason: 'Too much' });
    expect([status, error?.code]).toEqual([422, 'refund_too_large']);
    expect(error?.message).toContain('500.01 RUB');
    const { body } = await bench.decide(paymentId, 'refund', { reason: 'What is left' });
    expect(body.refundedAmount).toBe('500.01');
  });

  test('is refused while requests in flight reserve the balance, and changes nothing', async () => {
    const { accountId, paymentId, held } = await paid();
    const hold = { id: Bun.randomUUIDv7(), accountId };
    const amountNano = 11_000_000_000n;
    await bench.payments.withdrawals.setAside(hold, { amountNano, lowestNano: amountNano, holdMs: 60_000 });
    const { body } = await bench.decide(paymentId, 'refund', { amount: '300', reason: 'Paid too much' });
    expect(body.refunds).toMatchObject([{ status: 'refused', problem: expect.stringContaining('balance') }]);
    expect(held.refundedMinor).toBe(0n);
  });

  test('a refund that the balance no longer covers hides none that the provider made on its own', async () => {
    const { accountId, token, paymentId, held } = await paid();
    const hold = { id: Bun.randomUUIDv7(), accountId };
    const amountNano = 11_000_000_000n;
    await bench.payments.withdrawals.setAside(hold, { amountNano, lowestNano: amountNano, holdMs: 60_000 });
    bench.yookassa.giveBack(held, 30_000n, 'by hand');
    await bench.decide(paymentId, 'refund', { amount: '300', reason: 'Paid too much' });
    await bench.payments.withdrawals.giveBack(hold);
    await bench.work(new Date(Date.now() + 60_000));
    const { refunds, refundedAmount } = await bench.get(token, paymentId);
    expect(refunds).toMatchObject([{ status: 'refused' }, { kind: 'reversal', status: 'succeeded' }]);
    expect(refundedAmount).toBe('300.00');
    expect(await violationsOf(accountId)).toEqual([]);
  });

  test('a refund is not repeated if its responses were lost until the provider forgot its key', async () => {
    const { accountId, token, paymentId, held } = await paid();
    bench.yookassa.fault = ({ path }) => (path === '/refunds' ? 'cut' : 'none');
    await bench.decide(paymentId, 'refund', { amount: '300', reason: 'Paid too much' });
    expect(held.refundedMinor).toBe(30_000n);
    bench.yookassa.fault = () => 'none';
    const nextDay = new Date(Date.now() + 25 * 3_600_000);
    bench.yookassa.now = () => nextDay;
    await bench.work(nextDay);
    bench.yookassa.now = () => new Date();
    expect(held.refundedMinor).toBe(30_000n);
    expect(await bench.get(token, paymentId)).toMatchObject({ refundedAmount: '300.00', status: 'succeeded' });
    expect(await violationsOf(accountId)).toEqual([]);
  });

  test('a refund that was never made is made the next day, even if the provider made an equal one itself', async () => {
    const { accountId, token, paymentId, held } = await paid();
    bench.yookassa.fault = ({ path }) => (path === '/refunds' ? 'lost' : 'none');
    await bench.decide(paymentId, 'refund', { amount: '300', reason: 'Paid too much' });
    expect(held.refundedMinor).toBe(0n);
    bench.yookassa.giveBack(held, 30_000n, 'by hand');
    bench.yookassa.fault = () => 'none';
    const nextDay = new Date(Date.now() + 25 * 3_600_000);
    bench.yookassa.now = () => nextDay;
    await bench.work(nextDay);
    await bench.work(new Date(nextDay.getTime() + 60_000));
    bench.yookassa.now = () => new Date();
    expect(held.refundedMinor).toBe(60_000n);
    expect(await bench.get(token, paymentId)).toMatchObject({ refundedAmount: '600.00', status: 'succeeded' });
    expect(await violationsOf(accountId)).toEqual([]);
  });

  test('a refund that the provider refuses returns the money to the wallet', async () => {
    const { accountId, paymentId, held } = await paid();
    bench.yookassa.refundState = () => 'refused';
    const { body } = await bench.decide(paymentId, 'refund', { amount: '300', reason: 'Paid too much' });
    bench.yookassa.refundState = () => 'succeeded';
    expect(body).toMatchObject({ status: 'succeeded', refundedAmount: '0.00', refunds: [{ status: 'refused' }] });
    expect((await viewOf(accountId)).wallet).toEqual({ available: '11.111111111', reserved: '0' });
    expect(held.refundedMinor).toBe(0n);
  });

  test('a refund while our key is not accepted stays pending, whether it was begun before or not', async () => {
    const { paymentId, held } = await paid();
    bench.yookassa.fault = ({ path }) => (path.startsWith('/refunds') ? 403 : 'none');
    const { body } = await bench.decide(paymentId, 'refund', { amount: '300', reason: 'Paid too much' });
    expect(body.refunds).toMatchObject([{ status: 'pending' }]);
    await bench.payments.database
      .sql`UPDATE payment_refunds SET next_attempt_at = now() - interval '1 second' WHERE payment_id = ${paymentId}`;
    await bench.work();
    bench.yookassa.fault = () => 'none';
    await bench.payments.database
      .sql`UPDATE payment_refunds SET next_attempt_at = now() - interval '1 second' WHERE payment_id = ${paymentId}`;
    await bench.work();
    expect(held.refundedMinor).toBe(30_000n);
    const [refund] = await bench.payments.database.sql`
      SELECT status FROM payment_refunds WHERE payment_id = ${paymentId}`;
    expect(refund?.status).toBe('succeeded');
  });

  test.each(['cut', 500] as const)('a refund whose call fails (%s) is continued once by the worker', async (fault) => {
    const { accountId, paymentId, held } = await paid();
    bench.yookassa.fault = ({ path }) => (path === '/refunds' ? fault : 'none');
    const { body } = await bench.decide(paymentId, 'refund', { amount: '300', reason: 'Paid too much' });
    expect(body.refunds).toMatchObject([{ status: 'pending' }]);
    expect((await viewOf(accountId)).wallet).toMatchObject({ reserved: '3.333333333' });
    bench.yookassa.fault = () => 'none';
    await bench.work(new Date(Date.now() + 3_600_000));
    expect(held.refundedMinor).toBe(30_000n);
    expect((await viewOf(accountId)).wallet).toEqual({ available: '7.777777778', reserved: '0' });
    expect(await violationsOf(accountId)).toEqual([]);
  });

  test('a refund that takes days holds the money until the provider has returned it', async () => {
    const { accountId, paymentId } = await paid();
    bench.yookassa.refundState = () => 'pending';
    const { body } = await bench.decide(paymentId, 'refund', { amount: '300', reason: 'Paid too much' });
    bench.yookassa.refundState = () => 'succeeded';
    expect(body.refunds).toMatchObject([{ status: 'pending' }]);
    const [refund] = [...bench.yookassa.refunds.values()].slice(-1);
    if (refund === undefined) throw new Error('the provider has no refund');
    bench.yookassa.endRefund(refund, 'succeeded');
    const again = await bench.decide(paymentId, 'refund', { amount: '1', reason: 'Another' });
    expect(again.error?.code).toBe('payment_state');
    await bench.work(new Date(Date.now() + 3_600_000));
    expect((await viewOf(accountId)).balance).toBe('7.777777778');
  });

  test('a refund made in the provider’s own dashboard is noticed and taken from the balance', async () => {
    const { accountId, paymentId, held } = await paid();
    bench.yookassa.giveBack(held, 20_000n, 'by hand');
    await bench.api.call('POST', '/api/webhooks/yookassa', yookassaNotification(held, 'refund.succeeded'));
    await bench.work();
    expect((await viewOf(accountId)).balance).toBe('8.888888889');
    expect((await bench.decide(paymentId, 'refund', { reason: 'The rest' })).body.refundedAmount).toBe('1000.00');
    expect(await violationsOf(accountId)).toEqual([]);
  });
});

describe('a bank transfer', () => {
  const confirmation = { paidAt: '2026-01-15', reason: 'Bank statement' };

  test('is booked by an operator, immediately in the wallet, and in the audit log', async () => {
    const { accountId, paymentId } = await invoice();
    const { status, body } = await bench.decide(paymentId, 'confirm', { ...confirmation, reference: 'A-1' });
    expect([status, body.status, body.reference, body.paidAt]).toEqual([
      200,
      'succeeded',
      'A-1',
      '2026-01-15T00:00:00.000Z',
    ]);
    expect((await viewOf(accountId)).wallet?.available).toBe('11.111111111');
    const { body: audit } = await bench.api.call<AuditList>('GET', `/api/operator/audit?accountId=${accountId}`, {
      token: bench.operator.token,
    });
    expect(audit.entries).toMatchObject([
      { action: 'payment.confirm', reason: 'Bank statement' },
      { action: 'payment.order' },
    ]);
  });

  test('cannot be confirmed twice, and neither can one reference confirm two transfers', async () => {
    const [one, other] = [await invoice(), await invoice()];
    await bench.decide(one.paymentId, 'confirm', { ...confirmation, reference: 'B-1' });
    const again = await bench.decide(one.paymentId, 'confirm', { ...confirmation, reference: 'B-2' });
    expect(again.error?.code).toBe('payment_state');
    const reused = await bench.decide(other.paymentId, 'confirm', { ...confirmation, reference: 'B-1' });
    expect([reused.status, reused.error?.code]).toEqual([409, 'payment_reference_used']);
    expect((await viewOf(other.accountId)).balance).toBe('0');
  });

  test('expires if it is not paid, and is booked even if the money arrives later', async () => {
    const { token, paymentId } = await invoice();
    await bench.work(new Date(Date.now() + 15 * 86_400_000));
    expect((await bench.get(token, paymentId)).status).toBe('expired');
    const { body } = await bench.decide(paymentId, 'confirm', { ...confirmation, reference: 'C-1' });
    expect(body.status).toBe('succeeded');
  });

  test.each([
    ['paidAt', { paidAt: '2999-01-01' }],
    ['paidAt', { paidAt: 'yesterday' }],
    ['reason', { reason: ' ' }],
    ['reference', { reference: '' }],
  ])('returns 400 that names %s for %j', async (param, change) => {
    const { paymentId } = await invoice();
    const { status, error } = await bench.decide(paymentId, 'confirm', {
      ...confirmation,
      reference: 'D-1',
      ...change,
    });
    expect([status, error?.param]).toEqual([400, param]);
  });
});

test('operators find payments by method, and see the events of each', async () => {
  const { accountId, paymentId } = await invoice();
  const token = bench.operator.token;
  await bench.decide(paymentId, 'confirm', { paidAt: '2026-01-15', reference: 'E-1', reason: 'Bank statement' });
  const listed = async (method: string) => {
    const path = `/api/operator/payments?accountId=${accountId}&method=${method}`;
    return (await bench.api.call<{ payments: OperatorPayment[] }>('GET', path, { token })).body.payments.map(
      ({ id }) => id,
    );
  };
  expect([await listed('invoice'), await listed('yookassa')]).toEqual([[paymentId], []]);
  const path = `/api/operator/payments/${paymentId}`;
  expect((await bench.api.call<OperatorPayment>('GET', path, { token })).body).toMatchObject({ reference: 'E-1' });
  const { events } = (await bench.api.call<typeof paymentEventsSchema.static>('GET', `${path}/events`, { token })).body;
  expect(events.map(({ kind, body }) => [kind, JSON.parse(body).reference])).toEqual([['confirmation', 'E-1']]);
});

test('customers cannot decide about payments', async () => {
  const { token, paymentId } = await paid();
  for (const what of ['confirm', 'cancel', 'refund']) {
    const { status } = await bench.api.call('POST', `/api/operator/payments/${paymentId}/${what}`, { token, body: {} });
    expect(status).toBe(403);
  }
  expect((await bench.api.call('GET', '/api/operator/payments', { token })).status).toBe(403);
});
