/** Refunds that the payer's bank sends back after the provider has reported them as succeeded. */
import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import { runRefund } from '../../../../admin/payments/refunds/run-refund.ts';
import { violationsAtRest } from '../../../harness/books.ts';
import type { HeldPayment } from '../../../harness/payments/scripted-provider.ts';
import { stripeNotification } from '../../../harness/payments/stripe-wire.ts';
import { type PaymentBench, startPayments, usd } from './start-payments.ts';

let bench: PaymentBench;
beforeAll(async () => {
  bench = await startPayments();
});
afterEach(() => {
  bench.stripe.fault = () => 'none';
  bench.stripe.refundState = () => 'succeeded';
});
afterAll(() => bench.stop());

const announce = async (held: HeldPayment, type: string) => {
  await bench.api.call('POST', '/api/webhooks/stripe', stripeNotification(held, { type }));
  await bench.work();
};

/** A payment of 10 dollars. */
async function paid() {
  const { accountId, token } = await bench.newCustomer();
  const { body: payment } = await bench.createPayment(token, usd('10'));
  const held = bench.stripe.of(payment.id);
  bench.stripe.pay(held);
  await announce(held, 'checkout.session.completed');
  const read = async () => {
    const { status, refundedAmount, refunds } = await bench.get(token, payment.id);
    const { body } = await bench.api.call<{ balanceUsd: string }>('GET', '/api/balance', { token });
    const said = refunds.map(({ kind, status: refundStatus, amount }) => `${kind} ${refundStatus} ${amount}`);
    return { status, refundedAmount, refunds: said, balance: body.balanceUsd };
  };
  return { accountId, token, payment, held, read };
}

/** The same, of which all was returned. */
async function refunded() {
  const order = await paid();
  await bench.decide(order.payment.id, 'refund', { reason: 'Asked for it' });
  const [refund] = bench.stripe.refundsOf(order.held);
  if (refund === undefined) throw new Error('the provider has no refund');
  return { ...order, refund };
}

const givenBack = {
  status: 'succeeded' as const,
  refundedAmount: '0.00',
  refunds: ['refund failed 10.00', 'failed_refund succeeded 10.00'],
  balance: '10',
};

test.each(['refund.failed', 'refund.updated', 'charge.refund.updated'])(
  'a refund whose failure is announced by %s is given back once, and the customer gets a mail',
  async (type) => {
    const { accountId, token, held, payment, refund, read } = await refunded();
    bench.stripe.failRefund(refund);
    const notification = stripeNotification(held, { type });
    await Promise.all(Array.from({ length: 5 }, () => bench.api.call('POST', '/api/webhooks/stripe', notification)));
    await Promise.all([bench.work(), bench.work()]);
    await announce(held, 'charge.refunded');
    expect(await read()).toEqual(givenBack);
    const mails = await bench.harness.database.sql`SELECT kind FROM mails WHERE account_id = ${accountId} ORDER BY id`;
    expect(mails.map(({ kind }) => kind)).toEqual(['payment_received', 'payment_refunded', 'refund_failed']);
    const { body } = await bench.api.call<{ transactions: object[] }>('GET', '/api/transactions?limit=1', { token });
    expect(body.transactions).toMatchObject([
      {
        amountUsd: '10',
        type: 'payment',
        parts: { kind: 'failed_refund', paymentId: payment.id, paidAmount: '10.00' },
      },
    ]);
    expect(await violationsAtRest(bench.harness, [accountId])).toEqual([]);
  },
);

test('a response from before a refund failed does not take its amount again', async () => {
  const { held, refund, read } = await refunded();
  const before = { refundedMinor: held.refundedMinor, state: refund.state };
  bench.stripe.failRefund(refund);
  await announce(held, 'refund.failed');
  Object.assign(refund, { state: before.state });
  Object.assign(held, { refundedMinor: before.refundedMinor });
  await announce(held, 'charge.refunded');
  expect(await read()).toEqual(givenBack);
});

test('what a failed refund gave back can be refunded again', async () => {
  const { accountId, held, payment, refund, read } = await refunded();
  bench.stripe.failRefund(refund);
  await announce(held, 'refund.failed');
  const { body } = await bench.decide(payment.id, 'refund', { amount: '4', reason: 'To another card' });
  expect(body).toMatchObject({ status: 'succeeded', refundedAmount: '4.00' });
  await announce(held, 'charge.refunded');
  expect(await read()).toMatchObject({ refundedAmount: '4.00', balance: '6' });
  expect(await violationsAtRest(bench.harness, [accountId])).toEqual([]);
});

test('a refund from the dashboard of the provider that fails after it was booked is given back once', async () => {
  const { accountId, held, read } = await paid();
  const outside = bench.stripe.giveBack(held, 300n, '');
  if (outside === undefined) throw new Error('the provider refused the refund');
  await announce(held, 'charge.refunded');
  expect(await read()).toMatchObject({ refundedAmount: '3.00', balance: '7' });
  bench.stripe.failRefund(outside);
  await announce(held, 'refund.failed');
  await announce(held, 'refund.updated');
  expect(await read()).toEqual({
    status: 'succeeded',
    refundedAmount: '0.00',
    refunds: ['reversal succeeded 3.00', 'failed_refund succeeded 3.00'],
    balance: '10',
  });
  expect(await violationsAtRest(bench.harness, [accountId])).toEqual([]);
});

test('a refund from the dashboard of the provider that failed before it was noticed changes nothing', async () => {
  const { held, read } = await paid();
  const outside = bench.stripe.giveBack(held, 300n, '');
  if (outside === undefined) throw new Error('the provider refused the refund');
  bench.stripe.failRefund(outside);
  await announce(held, 'refund.failed');
  expect(await read()).toEqual({ status: 'succeeded', refundedAmount: '0.00', refunds: [], balance: '10' });
});

/** Queries the provider, whose response has the state of now and arrives once `meanwhile` is over. */
async function queriedBefore(held: HeldPayment, type: string, meanwhile: () => Promise<void>): Promise<void> {
  await bench.api.call('POST', '/api/webhooks/stripe', stripeNotification(held, { type }));
  const [sent, response] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  bench.stripe.fault = ({ path }) => {
    if (!path.endsWith(held.reference)) return 'none';
    sent.resolve();
    return response.promise;
  };
  const working = bench.work();
  await sent.promise;
  bench.stripe.fault = () => 'none';
  await meanwhile();
  response.resolve();
  await working;
}

/** A payment of 10 dollars, of which 4 are on their way back. */
async function pending() {
  const order = await paid();
  bench.stripe.refundState = () => 'pending';
  const { body } = await bench.decide(order.payment.id, 'refund', { amount: '4', reason: 'Asked for it' });
  const [refund] = bench.stripe.refundsOf(order.held);
  if (refund === undefined) throw new Error('the provider has no refund');
  const fail = async () => {
    bench.stripe.endRefund(refund, 'refused');
    for (const { id } of body.refunds) await runRefund(bench.payments, id);
  };
  return { ...order, refund, fail };
}

test('a response from before a pending refund failed takes nothing', async () => {
  const { accountId, held, fail, read } = await pending();
  await queriedBefore(held, 'charge.refunded', fail);
  expect(await read()).toMatchObject({ refundedAmount: '0.00', refunds: ['refund refused 4.00'], balance: '10' });
  await bench.work(new Date(Date.now() + 60_000));
  expect(await read()).toMatchObject({ refundedAmount: '0.00', refunds: ['refund refused 4.00'], balance: '10' });
  expect(await violationsAtRest(bench.harness, [accountId])).toEqual([]);
});

test('what was taken for a refund that had failed while it was pending is given back once', async () => {
  const { accountId, held, refund, fail, read } = await pending();
  await fail();
  // As a provider does whose copies are not equally fresh.
  Object.assign(refund, { state: 'succeeded' });
  held.refundedMinor += refund.amountMinor;
  await bench.work();
  const taken = ['refund refused 4.00', 'reversal succeeded 4.00'];
  expect(await read()).toMatchObject({ refunds: taken, balance: '6' });
  bench.stripe.failRefund(refund);
  for (const type of ['refund.failed', 'refund.updated']) await announce(held, type);
  expect(await read()).toMatchObject({ refunds: [...taken, 'failed_refund succeeded 4.00'], balance: '10' });
  expect(await violationsAtRest(bench.harness, [accountId])).toEqual([]);
});

test('an outside refund that failed during a query is given back by the next query', async () => {
  const { accountId, held, read } = await paid();
  const outside = bench.stripe.giveBack(held, 300n, '');
  if (outside === undefined) throw new Error('the provider refused the refund');
  await queriedBefore(held, 'charge.refunded', async () => {
    bench.stripe.failRefund(outside);
    await announce(held, 'refund.failed');
  });
  await bench.work();
  expect(await read()).toMatchObject({
    refunds: ['reversal succeeded 3.00', 'failed_refund succeeded 3.00'],
    balance: '10',
  });
  expect(await violationsAtRest(bench.harness, [accountId])).toEqual([]);
});

test('what a late response gave back of another refund is taken again by the next query', async () => {
  const { accountId, held, read } = await paid();
  const failed = bench.stripe.giveBack(held, 300n, '');
  if (failed === undefined) throw new Error('the provider refused the refund');
  bench.stripe.failRefund(failed);
  await queriedBefore(held, 'refund.failed', async () => {
    bench.stripe.giveBack(held, 300n, '');
    await announce(held, 'charge.refunded');
  });
  await bench.work();
  expect(await read()).toMatchObject({ refundedAmount: '3.00', balance: '7' });
  expect(await violationsAtRest(bench.harness, [accountId])).toEqual([]);
});
