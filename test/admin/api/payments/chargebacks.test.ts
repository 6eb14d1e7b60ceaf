/** Chargebacks: what a dispute takes, and what comes back if it is won. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { formatMinorUnits, minorUnits } from '../../../../admin/money/payment-money.ts';
import { runRefund } from '../../../../admin/payments/refunds/run-refund.ts';
import { formatUsd, nanoUsd } from '../../../../shared/money.ts';
import { violationsAtRest } from '../../../harness/books.ts';
import { stripeNotification } from '../../../harness/payments/stripe-wire.ts';
import { type OperatorPayment, type PaymentBench, startPayments, usd } from './start-payments.ts';

let bench: PaymentBench;
beforeAll(async () => {
  bench = await startPayments();
});
afterEach(() => {
  bench.stripe.refundState = () => 'succeeded';
});
afterAll(() => bench.stop());

const balanceOf = async (token: string) =>
  (await bench.api.call<{ balanceUsd: string }>('GET', '/api/balance', { token })).body.balanceUsd;
const notify = (method: string, { body, headers = {} }: { body: string; headers?: Record<string, string> }) =>
  bench.api.call<{ result: string }>('POST', `/api/webhooks/${method}`, { body, headers });
const mailsOf = (accountId: number) =>
  bench.harness.database.sql`SELECT kind FROM mails WHERE account_id = ${accountId} ORDER BY id`.then((rows) =>
    rows.map(({ kind }) => kind),
  );

const owedOf = async (paymentId: string) =>
  (await bench.api.call<OperatorPayment>('GET', `/api/operator/payments/${paymentId}`, { token: bench.operator.token }))
    .body.owedUsd;

/** A new customer's payment of 10 dollars. */
async function paid() {
  const customer = await bench.newCustomer();
  const { body: payment } = await bench.createPayment(customer.token, usd('10'));
  const held = bench.stripe.of(payment.id);
  bench.stripe.pay(held);
  await notify('stripe', stripeNotification(held));
  await bench.work();
  return { ...customer, payment, held };
}

const dollars = (cents: bigint) => formatMinorUnits(minorUnits(cents));

/** Money of the wallet that nothing else can take, as requests in flight hold it. */
async function hold(accountId: number, nano: bigint) {
  const elsewhere = { id: Bun.randomUUIDv7(), accountId };
  await bench.payments.withdrawals.setAside(elsewhere, { amountNano: nano, lowestNano: nano, holdMs: 60_000 });
  return elsewhere;
}

/** A payment of 10 dollars, of which a chargeback took 4, because the rest was on hold elsewhere. */
async function disputed() {
  const { accountId, token, payment, held, ...customer } = await paid();
  const elsewhere = await hold(accountId, 6_000_000_000n);
  bench.stripe.dispute(held, 1_000n);
  await notify('stripe', stripeNotification(held, { type: 'charge.dispute.created' }));
  await bench.work();
  expect(await bench.get(token, payment.id)).toMatchObject({ status: 'refunded', refunds: [{ kind: 'reversal' }] });
  await bench.payments.withdrawals.giveBack(elsewhere);
  expect(await balanceOf(token)).toBe('6');
  return { ...customer, accountId, token, payment, held };
}

describe('a dispute', () => {
  test('takes what the wallet has, records the rest as owed, and stops card payments', async () => {
    const { accountId, token } = await bench.newCustomer();
    const { body: payment } = await bench.createPayment(token, usd('10'));
    const held = bench.stripe.of(payment.id);
    bench.stripe.pay(held);
    await notify('stripe', stripeNotification(held));
    await bench.work();
    const { body: refunded } = await bench.decide(payment.id, 'refund', { amount: '4', reason: 'Asked for it' });
    expect(refunded.refunds).toMatchObject([{ status: 'succeeded', amount: '4.00', takenUsd: '4' }]);
    // The rest of the balance is on hold elsewhere: 5 of 6 dollars.
    const elsewhere = { id: Bun.randomUUIDv7(), accountId };
    const nano = 5_000_000_000n;
    await bench.payments.withdrawals.setAside(elsewhere, { amountNano: nano, lowestNano: nano, holdMs: 60_000 });
    bench.stripe.dispute(held, 600n);
    await notify('stripe', stripeNotification(held, { type: 'charge.dispute.created' }));
    await bench.work();
    const list = await bench.api.call<{ payments: OperatorPayment[] }>(
      'GET',
      `/api/operator/payments?accountId=${accountId}`,
      { token: bench.operator.token },
    );
    expect(list.body.payments[0]).toMatchObject({
      status: 'refunded',
      refundedAmount: '10.00',
      owedUsd: '5',
      disputedAt: expect.any(String),
      refunds: [{ isReversal: false }, { isReversal: true, amount: '6.00', takenUsd: '1', status: 'succeeded' }],
    });
    expect((await bench.createPayment(token, usd('10'))).error?.code).toBe('cards_stopped');
    await bench.payments.withdrawals.giveBack(elsewhere);
    expect(await balanceOf(token)).toBe('5');
    expect(await violationsAtRest(bench.harness, [accountId])).toEqual([]);
  });

  test('of a payment that was returned before takes nothing, stops card payments, and is told', async () => {
    const { accountId, token } = await bench.newCustomer();
    const { body: payment } = await bench.createPayment(token, usd('10'));
    const held = bench.stripe.of(payment.id);
    bench.stripe.pay(held);
    await notify('stripe', stripeNotification(held));
    await bench.work();
    await bench.decide(payment.id, 'refund', { reason: 'Asked for it' });
    bench.stripe.dispute(held, 1_000n);
    await notify('stripe', stripeNotification(held, { type: 'charge.dispute.created' }));
    await bench.work();
    const [stored] = await bench.harness.database.sql`
      SELECT disputed_at, owed_nano FROM payments WHERE id = ${payment.id}`;
    expect(stored).toEqual({ disputed_at: expect.any(Date), owed_nano: '0' });
    expect((await bench.createPayment(token, usd('10'))).error?.code).toBe('cards_stopped');
    expect(await balanceOf(token)).toBe('0');
    expect(await violationsAtRest(bench.harness, [accountId])).toEqual([]);
    bench.stripe.winDispute(held);
    await notify('stripe', stripeNotification(held, { type: 'charge.dispute.closed' }));
    await bench.work();
    expect((await bench.createPayment(token, usd('10'))).error).toBeUndefined();
    expect(await balanceOf(token)).toBe('0');
  });

  test('each dispute of a payment that has gone back is reported to operators once, and shown', async () => {
    const { token, payment, held } = await paid();
    bench.stripe.dispute(held, 1_000n);
    await notify('stripe', stripeNotification(held, { type: 'charge.dispute.created' }));
    await bench.work();
    const told: string[] = [];
    const error = (about: object, text: string) => {
      if ('payment' in about && about.payment === payment.id) told.push(text);
    };
    const log = Object.assign(Object.create(bench.payments.log), { error });
    bench.stripe.dispute(held, 700n);
    bench.stripe.dispute(held, 300n);
    for (const type of ['charge.dispute.created', 'charge.dispute.updated']) {
      await notify('stripe', stripeNotification(held, { type }));
      await bench.workWith({ log });
    }
    expect(told).toEqual([expect.stringContaining('returned before'), expect.stringContaining('returned before')]);
    const { refundedAmount, refunds } = await bench.get(token, payment.id);
    expect(refundedAmount).toBe('10.00');
    expect(refunds.map(({ kind, status, amount }) => `${kind} ${status} ${amount}`)).toEqual([
      'reversal succeeded 10.00',
      'dispute refused 7.00',
      'dispute refused 3.00',
    ]);
  });

  test('a dispute after one that was won stops cards again, even if the payment has gone back since', async () => {
    const { token, payment, held } = await paid();
    bench.stripe.dispute(held, 1_000n);
    await notify('stripe', stripeNotification(held, { type: 'charge.dispute.created' }));
    await bench.work();
    bench.stripe.winDispute(held);
    await notify('stripe', stripeNotification(held, { type: 'charge.dispute.closed' }));
    await bench.work();
    expect((await bench.createPayment(token, usd('10'))).error).toBeUndefined();
    await bench.decide(payment.id, 'refund', { reason: 'Asked for it' });
    bench.stripe.dispute(held, 1_000n);
    await notify('stripe', stripeNotification(held, { type: 'charge.dispute.created' }));
    await bench.work();
    expect((await bench.createPayment(token, usd('10'))).error?.code).toBe('cards_stopped');
  });

  test('a dispute that is won forgives what was owed, returns the rest once, and cards work again', async () => {
    const { accountId, token, held, payment } = await disputed();
    const old = { ...held, disputes: held.disputes.map((dispute) => ({ ...dispute })) };
    bench.stripe.winDispute(held);
    const closed = stripeNotification(held, { type: 'charge.dispute.closed' });
    await Promise.all(Array.from({ length: 5 }, () => notify('stripe', closed)));
    await Promise.all([bench.work(), bench.work()]);
    expect(await bench.get(token, payment.id)).toMatchObject({
      status: 'succeeded',
      refundedAmount: '0.00',
      refunds: [{ kind: 'reversal' }, { kind: 'restoration', amount: '10.00', status: 'succeeded' }],
    });
    expect(await balanceOf(token)).toBe('10');
    expect((await mailsOf(accountId)).at(-1)).toBe('payment_restored');
    expect((await bench.createPayment(token, usd('10'))).status).toBe(201);

    // A response from before the end, and a second report of the end, change nothing.
    Object.assign(held, old);
    await notify('stripe', closed);
    await bench.work();
    bench.stripe.winDispute(held);
    await notify('stripe', closed);
    await bench.work();
    expect(await balanceOf(token)).toBe('10');
    expect(await violationsAtRest(bench.harness, [accountId])).toEqual([]);
  });

  test('a dispute that was won before it was booked returns nothing for another dispute', async () => {
    const { token } = await bench.newCustomer();
    const { body: payment } = await bench.createPayment(token, usd('10'));
    const held = bench.stripe.of(payment.id);
    bench.stripe.pay(held);
    await notify('stripe', stripeNotification(held));
    await bench.work();
    bench.stripe.dispute(held, 400n);
    bench.stripe.winDispute(held);
    bench.stripe.dispute(held, 300n);
    await notify('stripe', stripeNotification(held, { type: 'charge.dispute.created' }));
    await bench.work();
    expect(await bench.get(token, payment.id)).toMatchObject({
      refundedAmount: '3.00',
      refunds: [{ kind: 'reversal' }],
    });
    expect(await balanceOf(token)).toBe('7');
  });

  const took = ({ refunds }: { refunds: { kind: string; amount: string }[] }) =>
    refunds.map(({ kind, amount }) => `${kind} ${amount}`);

  test('a dispute takes the rest once an earlier refund fails, and returns all if it is won', async () => {
    const { accountId, token, payment, held } = await paid();
    await bench.decide(payment.id, 'refund', { amount: '6', reason: 'Asked for it' });
    const [refund] = bench.stripe.refundsOf(held);
    if (refund === undefined) throw new Error('the provider has no refund');
    bench.stripe.dispute(held, 1_000n);
    await notify('stripe', stripeNotification(held, { type: 'charge.dispute.created' }));
    await bench.work();
    expect(took(await bench.get(token, payment.id))).toEqual(['refund 6.00', 'reversal 4.00']);
    bench.stripe.failRefund(refund);
    const failed = stripeNotification(held, { type: 'refund.failed' });
    for (let times = 0; times < 2; times += 1) {
      await notify('stripe', failed);
      await Promise.all([bench.work(), bench.work()]);
    }
    const all = ['refund 6.00', 'reversal 4.00', 'failed_refund 6.00', 'reversal 6.00'];
    const lost = await bench.get(token, payment.id);
    expect([took(lost), lost.status, lost.refundedAmount]).toEqual([all, 'refunded', '10.00']);
    expect(await balanceOf(token)).toBe('0');

    const old = { ...held, disputes: held.disputes.map((dispute) => ({ ...dispute })) };
    bench.stripe.winDispute(held);
    const closed = stripeNotification(held, { type: 'charge.dispute.closed' });
    await notify('stripe', closed);
    await bench.work();
    Object.assign(held, old);
    await notify('stripe', closed);
    await bench.work();
    expect(took(await bench.get(token, payment.id))).toEqual([...all, 'restoration 10.00']);
    expect(await balanceOf(token)).toBe('10');
    expect(await violationsAtRest(bench.harness, [accountId])).toEqual([]);
  });

  test('a dispute takes the rest once another one is won that left it only a part', async () => {
    const { accountId, token, payment, held } = await paid();
    bench.stripe.dispute(held, 700n);
    bench.stripe.dispute(held, 1_000n);
    await notify('stripe', stripeNotification(held, { type: 'charge.dispute.created' }));
    await bench.work();
    expect(took(await bench.get(token, payment.id))).toEqual(['reversal 7.00', 'reversal 3.00']);
    const [first] = held.disputes;
    if (first === undefined) throw new Error('the provider has no dispute');
    first.isWon = true;
    await notify('stripe', stripeNotification(held, { type: 'charge.dispute.closed' }));
    await bench.work();
    expect(took(await bench.get(token, payment.id))).toEqual([
      'reversal 7.00',
      'reversal 3.00',
      'restoration 7.00',
      'reversal 7.00',
    ]);
    expect(await balanceOf(token)).toBe('0');
    expect(await violationsAtRest(bench.harness, [accountId])).toEqual([]);
  });

  test('whatever a pending refund becomes, a dispute takes its amount from the rest, and no more', async () => {
    const cents = fc.bigInt({ min: 1n, max: 1_000n });
    const whole = fc.constant(1_000n);
    const amounts = fc.tuple(fc.oneof(cents, whole), fc.oneof(cents, whole), fc.constantFrom('succeeded', 'refused'));
    await fc.assert(fc.asyncProperty(amounts, takenBeside), {
      numRuns: 6,
      examples: [[[400n, 1_000n, 'refused']], [[1_000n, 1_000n, 'refused']], [[1_000n, 700n, 'succeeded']]],
    });
  });

  async function takenBeside([refunded, disputedCents, end]: readonly [bigint, bigint, 'succeeded' | 'refused']) {
    const { accountId, token, payment, held } = await paid();
    bench.stripe.refundState = () => 'pending';
    const { body } = await bench.decide(payment.id, 'refund', { amount: dollars(refunded), reason: 'Asked for it' });
    bench.stripe.dispute(held, disputedCents);
    const told: string[] = [];
    const error = (about: object, text: string) => {
      if ('payment' in about && about.payment === payment.id) told.push(text);
    };
    const log = Object.assign(Object.create(bench.payments.log), { error });
    await notify('stripe', stripeNotification(held, { type: 'charge.dispute.created' }));
    for (const seconds of [0, 60]) {
      const at = new Date(Date.now() + seconds * 1_000);
      await bench.workWith({ log, now: () => at });
    }
    const left = 1_000n - refunded;
    const taken = disputedCents < left ? disputedCents : left;
    expect((await bench.get(token, payment.id)).refundedAmount).toBe(dollars(taken));
    expect((await bench.createPayment(token, usd('10'))).error?.code).toBe('cards_stopped');
    expect(told).toEqual([expect.stringContaining('a payment is disputed')]);

    for (const refund of bench.stripe.refundsOf(held)) bench.stripe.endRefund(refund, end);
    for (const { id } of body.refunds) await runRefund(bench.payments, id);
    await bench.work(new Date(Date.now() + 120_000));
    const gone = end === 'refused' ? disputedCents : refunded + taken;
    expect((await bench.get(token, payment.id)).refundedAmount).toBe(dollars(gone));
    expect(await balanceOf(token)).toBe(formatUsd(nanoUsd((1_000n - gone) * 10_000_000n)));
    bench.stripe.winDispute(held);
    await notify('stripe', stripeNotification(held, { type: 'charge.dispute.closed' }));
    await bench.work(new Date(Date.now() + 180_000));
    const kept = end === 'refused' ? 1_000n : left;
    expect(await balanceOf(token)).toBe(formatUsd(nanoUsd(kept * 10_000_000n)));
    expect((await bench.createPayment(token, usd('10'))).status).toBe(201);
    expect(await violationsAtRest(bench.harness, [accountId])).toEqual([]);
  }

  test('a dispute that is lost leaves the money taken and cards stopped', async () => {
    const { token, held, payment } = await disputed();
    await notify('stripe', stripeNotification(held, { type: 'charge.dispute.closed' }));
    await bench.work();
    expect(await bench.get(token, payment.id)).toMatchObject({ status: 'refunded', refundedAmount: '10.00' });
    expect((await bench.createPayment(token, usd('10'))).error?.code).toBe('cards_stopped');
  });
});

describe('what a dispute could not take', () => {
  const soon = () => new Date(Date.now() + 60_000);
  const kindsOf = async (token: string, id: string) => (await bench.get(token, id)).refunds.map(({ kind }) => kind);

  test('what requests held during a dispute is taken once they return it', async () => {
    const { accountId, token, payment } = await disputed();
    await Promise.all([bench.work(soon()), bench.work(soon())]);
    expect(await balanceOf(token)).toBe('0');
    expect(await kindsOf(token, payment.id)).toEqual(['reversal', 'collection']);
    expect(await owedOf(payment.id)).toBe('0');
    const { body } = await bench.api.call<{ transactions: object[] }>('GET', '/api/transactions?limit=1', { token });
    expect(body.transactions).toMatchObject([
      { amountUsd: '-6', type: 'payment', parts: { kind: 'collection', paymentId: payment.id, method: 'stripe' } },
    ]);
    expect(await bench.work(soon())).toBe(0);
    expect(await violationsAtRest(bench.harness, [accountId])).toEqual([]);
  });

  test('what is owed a day after a dispute is no longer taken', async () => {
    const { token, payment } = await disputed();
    await bench.work(new Date(Date.now() + 25 * 3_600_000));
    expect(await balanceOf(token)).toBe('6');
    expect(await owedOf(payment.id)).toBe('6');
    expect(await bench.work(new Date(Date.now() + 26 * 3_600_000))).toBe(0);
  });

  test('a dispute that is won returns what was taken late, too', async () => {
    const { accountId, token, held, payment } = await disputed();
    await bench.work(soon());
    bench.stripe.winDispute(held);
    await notify('stripe', stripeNotification(held, { type: 'charge.dispute.closed' }));
    await bench.work();
    expect(await balanceOf(token)).toBe('10');
    expect(await kindsOf(token, payment.id)).toEqual(['reversal', 'collection', 'restoration']);
    expect(await violationsAtRest(bench.harness, [accountId])).toEqual([]);
  });

  test('in whatever parts money returns, a dispute takes what there is and no more than was disputed', async () => {
    const cents = fc.bigInt({ min: 1n, max: 1_000n });
    const nanos = fc.array(fc.bigInt({ min: 1n, max: 3_333_333_333n }), { minLength: 1, maxLength: 3 });
    await fc.assert(fc.asyncProperty(nanos, cents, takenInParts), { numRuns: 6 });
  });

  async function takenInParts(heldNanos: readonly bigint[], disputedCents: bigint): Promise<void> {
    const { accountId, payment, held } = await paid();
    const holds = [];
    for (const nano of heldNanos) holds.push({ nano, elsewhere: await hold(accountId, nano) });
    bench.stripe.dispute(held, disputedCents);
    await notify('stripe', stripeNotification(held, { type: 'charge.dispute.created' }));
    await bench.work();
    const disputedNano = disputedCents * 10_000_000n;
    let returnedNano = 10_000_000_000n - heldNanos.reduce((sum, nano) => sum + nano, 0n);
    const verify = async () => {
      const takenNano = returnedNano < disputedNano ? returnedNano : disputedNano;
      expect(await owedOf(payment.id)).toBe(formatUsd(nanoUsd(disputedNano - takenNano)));
      const wallet = await bench.harness.keeper.readWallet(accountId);
      expect(wallet?.availableNano).toBe(nanoUsd(returnedNano - takenNano));
    };
    await verify();
    for (const [index, { nano, elsewhere }] of holds.entries()) {
      await bench.payments.withdrawals.giveBack(elsewhere);
      returnedNano += nano;
      await bench.work(new Date(Date.now() + (index + 1) * 3_600_000));
      await verify();
    }
    expect(await violationsAtRest(bench.harness, [accountId])).toEqual([]);
  }
});
