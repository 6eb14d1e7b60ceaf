/**
 * A refund that may have been made at a provider that refuses to list it: an operator is notified once, and decides.
 */
import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import { violationsAtRest } from '../../../harness/books.ts';
import { yookassaNotification } from '../../../harness/payments/yookassa-wire.ts';
import { gatewayOf } from '../../cli/run-gateway.ts';
import type { AccountDetail } from '../response-types.ts';
import { type OperatorPayment, type PaymentBench, rub, startPayments } from './start-payments.ts';

let bench: PaymentBench;
beforeAll(async () => {
  bench = await startPayments();
});
afterEach(() => {
  bench.yookassa.fault = () => 'none';
  bench.yookassa.refundState = () => 'succeeded';
  bench.yookassa.now = () => new Date();
});
afterAll(() => bench.stop());

const hourMs = 3_600_000;
const minuteMs = 60_000;

interface Logged {
  readonly level: 'warn' | 'error';
  readonly text: string;
}

/** One step of the worker, this long after the refund was ordered, and what it logs about the refund. */
async function workAfter(refundId: string, ms: number): Promise<Logged[]> {
  const logged: Logged[] = [];
  const write = (level: Logged['level']) => (about: object, text: string) => {
    if ('refund' in about && about.refund === refundId) logged.push({ level, text });
  };
  const log = Object.assign(Object.create(bench.payments.log), { warn: write('warn'), error: write('error') });
  const now = new Date(Date.now() + ms);
  bench.yookassa.now = () => now;
  await bench.payments.database.sql`UPDATE payment_refunds SET next_attempt_at = ${now} WHERE id = ${refundId}`;
  await bench.workWith({ log, now: () => now });
  return logged;
}

const operatorView = async (paymentId: string): Promise<OperatorPayment> =>
  (await bench.api.call<OperatorPayment>('GET', `/api/operator/payments/${paymentId}`, { token: bench.operator.token }))
    .body;
const walletOf = async (accountId: number) =>
  (await bench.api.call<AccountDetail>('GET', `/api/operator/accounts/${accountId}`, { token: bench.operator.token }))
    .body.wallet;

/** A payment of 1,000 roubles. */
async function paid() {
  const customer = await bench.newCustomer();
  const { body: payment } = await bench.createPayment(customer.token, rub('1000'));
  const held = bench.yookassa.of(payment.id);
  bench.yookassa.pay(held);
  await bench.api.call('POST', '/api/webhooks/yookassa', yookassaNotification(held));
  await bench.work();
  return { ...customer, payment, held };
}

/** A refund of 300 of 1,000 roubles, whose response was lost, at a provider that refuses to list its refunds. */
async function inReview({ isMade }: { isMade: boolean }) {
  const { payment, held, ...customer } = await paid();
  bench.yookassa.fault = ({ path }) => (path === '/refunds' ? (isMade ? 'cut' : 'lost') : 'none');
  await bench.decide(payment.id, 'refund', { amount: '300', reason: 'Paid too much' });
  bench.yookassa.fault = ({ path }) => (path === '/refunds' ? 403 : 'none');

  const [{ id: refundId = '' } = {}] = (await operatorView(payment.id)).refunds;
  expect((await workAfter(refundId, 23.5 * hourMs)).map(({ level }) => level)).toEqual(['warn']);
  expect((await operatorView(payment.id)).refunds).toMatchObject([{ status: 'pending' }]);
  expect(await workAfter(refundId, 24.5 * hourMs)).toEqual([{ level: 'error', text: 'a refund is in review' }]);
  for (const minutes of [10, 20, 600])
    expect(await workAfter(refundId, 24.5 * hourMs + minutes * minuteMs)).toEqual([]);
  const { refunds } = await operatorView(payment.id);
  expect(refunds).toMatchObject([{ status: 'review', problem: expect.stringContaining('denied access with 403') }]);
  // What may have been returned cannot be spent in the meantime.
  expect(await walletOf(customer.accountId)).toMatchObject({ reserved: '3.333333333' });
  return { ...customer, paymentId: payment.id, refundId, held };
}

async function settle(paymentId: string, as: string) {
  const { exitCode, problem, error } = await gatewayOf(bench.harness)([
    ...['payment', 'settle-refund', paymentId, '--as', as, '--reason', 'Seen in the cabinet', '--json'],
  ]);
  return { exitCode, problem, code: error?.code };
}

test('an operator who saw that a refund was made books it', async () => {
  const { accountId, token, paymentId, held } = await inReview({ isMade: true });
  expect(await settle(paymentId, 'returned')).toMatchObject({ exitCode: 0 });
  await bench.work();
  expect(await bench.get(token, paymentId)).toMatchObject({ refundedAmount: '300.00', status: 'succeeded' });
  expect(await walletOf(accountId)).toEqual({ available: '7.777777778', reserved: '0' });
  expect(held.refundedMinor).toBe(30_000n);
  expect(await violationsAtRest(bench.harness, [accountId])).toEqual([]);
  expect(await settle(paymentId, 'returned')).toMatchObject({ exitCode: 1, code: 'payment_state' });
});

test('an operator who saw that a refund was not made returns the money to the wallet', async () => {
  const { accountId, token, paymentId, held } = await inReview({ isMade: false });
  expect(await settle(paymentId, 'refused')).toMatchObject({ exitCode: 0 });
  await bench.work();
  expect(await bench.get(token, paymentId)).toMatchObject({ refundedAmount: '0.00', refunds: [{ status: 'refused' }] });
  expect(await walletOf(accountId)).toEqual({ available: '11.111111111', reserved: '0' });
  expect(held.refundedMinor).toBe(0n);
  expect(await violationsAtRest(bench.harness, [accountId])).toEqual([]);
});

test('a provider that responds again ends the review of a refund', async () => {
  const { accountId, token, paymentId, refundId } = await inReview({ isMade: true });
  bench.yookassa.fault = () => 'none';
  await workAfter(refundId, 40 * hourMs);
  expect(await bench.get(token, paymentId)).toMatchObject({ refundedAmount: '300.00', status: 'succeeded' });
  expect(await violationsAtRest(bench.harness, [accountId])).toEqual([]);
});

/** The same refund, which the provider has reported as pending before it denied access. */
async function deniedWhilePending() {
  const { payment, held, ...customer } = await paid();
  bench.yookassa.refundState = () => 'pending';
  const { body } = await bench.decide(payment.id, 'refund', { amount: '300', reason: 'Paid too much' });
  const [refund] = bench.yookassa.refundsOf(held);
  const [{ id: refundId = '' } = {}] = body.refunds;
  if (refund === undefined) throw new Error('the provider has no refund');
  bench.yookassa.fault = ({ path }) => (path.startsWith('/refunds') ? 403 : 'none');
  expect((await workAfter(refundId, 23.5 * hourMs)).map(({ level }) => level)).toEqual(['warn']);
  expect(await workAfter(refundId, 24.5 * hourMs)).toEqual([{ level: 'error', text: 'a refund is in review' }]);
  expect(await workAfter(refundId, 25 * hourMs)).toEqual([]);
  return { ...customer, paymentId: payment.id, refundId, refund };
}

test('an operator settles a pending refund whose provider no longer grants access', async () => {
  const { accountId, token, paymentId } = await deniedWhilePending();
  expect(await settle(paymentId, 'returned')).toMatchObject({ exitCode: 0 });
  await bench.work();
  expect(await bench.get(token, paymentId)).toMatchObject({ refundedAmount: '300.00', status: 'succeeded' });
  expect(await walletOf(accountId)).toEqual({ available: '7.777777778', reserved: '0' });
  expect(await violationsAtRest(bench.harness, [accountId])).toEqual([]);
});

test('a provider that reports a refund as pending again ends its review, and then the refund', async () => {
  const { accountId, token, paymentId, refundId, refund } = await deniedWhilePending();
  bench.yookassa.fault = () => 'none';
  await workAfter(refundId, 26 * hourMs);
  expect((await operatorView(paymentId)).refunds).toMatchObject([{ status: 'pending', problem: null }]);
  expect(await settle(paymentId, 'refused')).toMatchObject({ exitCode: 1, code: 'payment_state' });
  bench.yookassa.endRefund(refund, 'succeeded');
  await workAfter(refundId, 27 * hourMs);
  expect(await bench.get(token, paymentId)).toMatchObject({ refundedAmount: '300.00', status: 'succeeded' });
  expect(await violationsAtRest(bench.harness, [accountId])).toEqual([]);
});
