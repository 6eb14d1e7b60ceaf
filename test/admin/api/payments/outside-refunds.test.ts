/** Refunds that are made in the provider's own dashboard are noticed whenever they are announced. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { postCredit, postWithdrawal } from '../../../../admin/ledger/post-credit.ts';
import { pollDuePayments } from '../../../../admin/payments/poll-payments.ts';
import { repetitionPauseMs } from '../../../../admin/payments/take-notification.ts';
import { deliverOutbox } from '../../../../admin/wallets/deliver-outbox.ts';
import { walletLimitNano } from '../../../../shared/money.ts';
import { violationsAtRest } from '../../../harness/books.ts';
import { mortal } from '../../../harness/mortal.ts';
import { yookassaNotification } from '../../../harness/payments/yookassa-wire.ts';
import { type Payment, type PaymentBench, rub, startPayments } from './start-payments.ts';

let bench: PaymentBench;
beforeAll(async () => {
  bench = await startPayments();
});
afterAll(() => bench.stop());

/** An order of 1,000 roubles that is paid at the provider, which is not known here yet. */
async function paidAtTheProvider() {
  const customer = await bench.newCustomer();
  const { body: payment } = await bench.createPayment(customer.token, rub('1000'));
  const held = bench.yookassa.of(payment.id);
  bench.yookassa.pay(held);
  return {
    ...customer,
    held,
    notify: (type: string) => bench.api.call('POST', '/api/webhooks/yookassa', yookassaNotification(held, type)),
    read: async () => {
      const { status, refundedAmount } = await bench.get(customer.token, payment.id);
      return { status, refundedAmount };
    },
  };
}

type PaymentState = Pick<Payment, 'status' | 'refundedAmount'>;
const booked: PaymentState = { status: 'succeeded', refundedAmount: '0.00' };
const partlyRefunded: PaymentState = { status: 'succeeded', refundedAmount: '400.00' };

test('a refund that is announced while its payment is being booked is not forgotten', async () => {
  const { accountId, held, notify, read } = await paidAtTheProvider();
  await notify('payment.succeeded');
  const [sent, response] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  bench.yookassa.fault = () => {
    sent.resolve();
    return response.promise;
  };
  const working = bench.work();
  await sent.promise;
  bench.yookassa.fault = () => 'none';
  held.refundedMinor = 40_000n;
  await notify('refund.succeeded');
  response.resolve();
  await working;
  expect(await read()).toEqual(booked);
  await bench.work();
  expect(await read()).toEqual(partlyRefunded);
  expect(await violationsAtRest(bench.harness, [accountId])).toEqual([]);
});

test('a refund is booked although admin stops between booking its payment and the refund', async () => {
  const { accountId, held, notify, read } = await paidAtTheProvider();
  held.refundedMinor = 40_000n;
  await notify('refund.succeeded');
  const { database } = bench.payments;
  let moments = 0;
  const afterTheBooking = () => {
    moments += 1;
    return moments === 2;
  };
  const db = mortal(database.db, ['transaction'], afterTheBooking);
  await pollDuePayments({ ...bench.payments, database: { ...database, db } });
  expect(await read()).toEqual(booked);
  await bench.work(new Date(Date.now() + 120_000));
  expect(await read()).toEqual(partlyRefunded);
  expect(await violationsAtRest(bench.harness, [accountId])).toEqual([]);
});

test('what a provider returned while a payment was in review is taken once an operator confirms it', async () => {
  const { accountId, token, held, notify, read } = await paidAtTheProvider();
  const { db, sql } = bench.harness.database;
  const move = { accountId, reason: 'Elsewhere', idempotencyKey: crypto.randomUUID() };
  await postCredit(db, { ...move, type: 'payment', amountNano: walletLimitNano });
  await notify('payment.succeeded');
  await bench.work();
  held.refundedMinor = 40_000n;
  await notify('refund.succeeded');
  await bench.work();
  expect(await read()).toEqual({ status: 'review', refundedAmount: '0.00' });
  const withdrawal = { ...move, idempotencyKey: crypto.randomUUID(), amountNano: walletLimitNano, holdId: null };
  await postWithdrawal(db, withdrawal);
  await deliverOutbox({ sql, keeper: bench.harness.keeper }, accountId);
  const confirmation = { paidAt: new Date().toISOString(), reference: held.reference, reason: 'Has room now' };
  expect((await bench.decide(held.paymentId, 'confirm', confirmation)).status).toBe(200);
  await bench.work();
  expect(await read()).toEqual(partlyRefunded);
  const { body } = await bench.api.call<{ balanceUsd: string }>('GET', '/api/balance', { token });
  // 600 roubles at 90 for a dollar, rounded in the gateway's favour by a nano-dollar.
  expect(body.balanceUsd).toMatch(/^6\.66666666[67]$/);
  expect(await violationsAtRest(bench.harness, [accountId])).toEqual([]);
});

test.each([
  ['another amount', { amountMinor: 90_000n }, [partlyRefunded, { status: 'succeeded', refundedAmount: '900.00' }]],
  ['another shop', { shop: '999' }, [partlyRefunded, { status: 'succeeded', refundedAmount: '900.00' }]],
  // Of roubles that were ordered, no amount of another currency can be taken.
  ['another currency', { currency: 'EUR' }, [booked, booked]],
] as const)(
  'of a payment that has %s than ordered, an operator’s confirmation decides what refunds take',
  async (_, change, after) => {
    const { accountId, held, notify, read } = await paidAtTheProvider();
    Object.assign(held, change);
    await notify('payment.succeeded');
    await bench.work();
    expect(await read()).toEqual({ status: 'review', refundedAmount: '0.00' });
    const confirmation = { paidAt: new Date().toISOString(), reference: held.reference, reason: 'The bank has it' };
    expect((await bench.decide(held.paymentId, 'confirm', confirmation)).status).toBe(200);
    await bench.work();
    expect(await read()).toEqual(booked);
    for (const [index, refundedMinor] of [40_000n, 90_000n].entries()) {
      held.refundedMinor = refundedMinor;
      await notify('refund.succeeded');
      // Two notifications of one kind in a row may be a repetition.
      await bench.work(new Date(Date.now() + index * repetitionPauseMs));
      expect(await read()).toEqual(after[index] ?? booked);
    }
    expect(await violationsAtRest(bench.harness, [accountId])).toEqual([]);
  },
);
