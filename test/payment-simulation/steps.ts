/** What can happen in a run: what customers, operators and providers do, and what the world does to them. */

import { findPayment } from '../../admin/database/rows/payment.ts';
import { minorUnits } from '../../admin/money/payment-money.ts';
import { consentVersion } from '../../admin/payments/auto-top-up/consent-text.ts';
import { runAutoTopUps } from '../../admin/payments/auto-top-up/run-auto-top-ups.ts';
import { readAutoTopUp } from '../../admin/payments/auto-top-up/saved-card.ts';
import { switchOff, switchOn } from '../../admin/payments/auto-top-up/settings.ts';
import { createPayment } from '../../admin/payments/creation/create-payment.ts';
import { openPayment } from '../../admin/payments/creation/open-payment.ts';
import { cancelPayment } from '../../admin/payments/decide-payment.ts';
import { pollDuePayments } from '../../admin/payments/poll-payments.ts';
import { createRefund, prepareRefund } from '../../admin/payments/refunds/create-refund.ts';
import { runRefund } from '../../admin/payments/refunds/run-refund.ts';
import { parseUsd } from '../../shared/money.ts';
import { disputedMinorOf, type ScriptedPaymentProvider } from '../harness/payments/scripted-provider.ts';
import { stripeNotification } from '../harness/payments/stripe-wire.ts';
import { yookassaNotification } from '../harness/payments/yookassa-wire.ts';
import type { World } from './world.ts';

/** Settings do not change during a run, so that the checks know the limits. */
export const topUpChoices = {
  yookassa: {
    method: 'yookassa',
    currency: 'RUB',
    amountMinor: minorUnits(100_000n),
    dayLimitMinor: minorUnits(250_000n),
    monthLimitMinor: minorUnits(700_000n),
    thresholdNano: parseUsd('100000'),
  },
  stripe: {
    method: 'stripe',
    currency: 'USD',
    amountMinor: minorUnits(2_000n),
    dayLimitMinor: minorUnits(5_000n),
    monthLimitMinor: minorUnits(15_000n),
    thresholdNano: parseUsd('100000'),
  },
} as const;
const consent = { version: consentVersion, language: 'en', address: '192.0.2.1' } as const;
const actor = { name: 'operator', userId: null, address: null, requestId: null };
const hourMs = 3_600_000;

export const weights = {
  order: 5,
  pay: 6,
  decline: 1,
  differ: 0.4,
  forge: 1,
  unknown: 0.5,
  poll: 8,
  deliver: 6,
  wait: 6,
  refund: 3,
  outside: 0.7,
  dispute: 0.7,
  win: 0.7,
  switchOn: 3,
  switchOff: 0.2,
  runLow: 5,
  topUp: 6,
  spend: 1,
  cancel: 0.3,
  endRefunds: 2,
  failRefund: 0.7,
} as const;
export type StepName = keyof typeof weights;

type Step = (world: World) => Promise<unknown>;

export const steps: Readonly<Record<StepName, Step>> = {
  order: async (world) => {
    const admin = world.admin();
    const method = world.random.pick(['yookassa', 'stripe'] as const);
    const input = {
      accountId: world.accountId,
      email: 'ada@example.com',
      method,
      amountMinor: minorUnits(BigInt(world.random.integer(1_00, 500_000))),
      currency: method === 'stripe' ? ('USD' as const) : ('RUB' as const),
      returnUrl: undefined,
      savesCard: world.random.chance(0.8) && (await isOn(world, method)),
    };
    const rate = { rubPerUsd: admin.config.rubPerUsd, date: null, source: 'configured' as const };
    const id = await admin.database.db.transaction((transaction) => createPayment(admin, transaction, { input, rate }));
    const opening = findPayment(admin.database.db, id).then((payment) => openPayment(admin, payment));
    // Some customers pay, and some notifications arrive, before the provider has responded.
    await Promise.allSettled([opening, world.random.chance(0.3) && payEarly(world, id)]);
  },
  pay: async (world) => {
    const { provider, payment } = drawHeld(world, (held) => held.state === 'pending');
    if (provider === undefined || payment === undefined) return;
    const lifetimeMs = provider === world.stage.yookassa ? hourMs : 23 * hourMs;
    if (world.nowMs > payment.createdAt.getTime() + lifetimeMs) payment.state = 'expired';
    else provider.pay(payment);
    world.notify(provider, payment);
  },
  decline: async (world) => {
    const { provider, payment } = drawHeld(world, (held) => held.state === 'pending');
    if (provider === undefined || payment === undefined) return;
    payment.state = 'declined';
    world.notify(provider, payment);
  },
  differ: async (world) => {
    const { payment } = drawHeld(world, (held) => held.state === 'pending');
    if (payment === undefined) return;
    const other = world.random.pick(['amount', 'currency', 'shop'] as const);
    if (other === 'amount') payment.amountMinor += 1n;
    else if (other === 'currency') payment.currency = 'EUR';
    else payment.shop = '999';
  },
  forge: async (world) => {
    const { provider, payment } = drawHeld(world, () => true);
    if (provider === undefined || payment === undefined) return;
    const lie = { ...payment, state: 'paid' as const, paidAt: world.now(), amountMinor: payment.amountMinor * 9n };
    if (provider === world.stage.yookassa)
      await world.send({ method: 'yookassa', headers: {}, ...yookassaNotification(lie) });
    else await world.send({ method: 'stripe', ...stripeNotification(lie, { secret: 'whsec_guessed' }) });
  },
  unknown: async (world) => {
    const lie = {
      reference: `nobody-${world.random.integer(1, 1_000_000)}`,
      paymentId: Bun.randomUUIDv7(),
      shop: '506751',
    };
    const rest = { amountMinor: 100n, currency: 'RUB', state: 'paid' as const, createdAt: world.now() };
    const sums = { paidAt: world.now(), refundedMinor: 0n, disputes: [] };
    await world.send({ method: 'yookassa', headers: {}, ...yookassaNotification({ ...lie, ...rest, ...sums }) });
  },
  poll: (world) => Promise.allSettled(world.admins.map(pollDuePayments)),
  deliver: (world) => world.deliver(),
  wait: async (world) => {
    world.nowMs += world.random.pick([1_000, 16_000, 120_000, hourMs, 5 * hourMs, 26 * hourMs]);
  },
  refund: async (world) => {
    const admin = world.admin();
    const { payment: held } = drawHeld(world, ({ state }) => state === 'paid');
    if (held === undefined) return;
    const payment = await findPayment(admin.database.db, held.paymentId);
    await prepareRefund(admin, payment);
    const amountMinor = world.random.chance(0.3) ? undefined : minorUnits(BigInt(world.random.integer(1, 300_000)));
    const input = { paymentId: payment.id, amountMinor, reason: 'a refund' };
    const id = await admin.database.db.transaction((transaction) => createRefund(transaction, admin, { input, actor }));
    await Promise.allSettled([
      runRefund(admin, id),
      ...(world.random.chance(0.3) ? [runRefund(world.admin(), id)] : []),
    ]);
  },
  outside: async (world) => {
    const { provider, payment } = drawHeld(world, ({ state }) => state === 'paid');
    if (provider === undefined || payment === undefined) return;
    const left = payment.amountMinor - payment.refundedMinor - disputedMinorOf(payment);
    const amount = BigInt(world.random.integer(1, 100_000));
    if (amount > left) return;
    payment.refundedMinor += amount;
    world.notify(provider, payment, {
      mayBeLost: false,
      type: isYookassa(world, provider) ? 'refund.succeeded' : 'charge.refunded',
    });
  },
  dispute: async (world) => {
    const provider = world.stage.stripe;
    const payment = world.random.pickIfAny(world.held(provider).filter(({ state }) => state === 'paid'));
    if (payment === undefined || disputedMinorOf(payment) > 0n) return;
    const left = payment.amountMinor - payment.refundedMinor;
    if (left === 0n) return;
    provider.dispute(payment, left);
    world.notify(provider, payment, { mayBeLost: false, type: 'charge.dispute.created' });
  },
  win: async (world) => {
    const provider = world.stage.stripe;
    const payment = world.random.pickIfAny(world.held(provider).filter((held) => disputedMinorOf(held) > 0n));
    if (payment === undefined) return;
    provider.winDispute(payment);
    world.notify(provider, payment, { mayBeLost: false, type: 'charge.dispute.closed' });
  },
  switchOn: (world) => switchTopUpOn(world),
  switchOff: async (world) => {
    const admin = world.admin();
    await admin.database.db.transaction((transaction) => switchOff(transaction, world.accountId, admin.now()));
  },
  /** As a charge of usage does that puts the balance below the threshold. */
  runLow: async ({ stage, accountId, now }) => {
    await stage.harness.database.sql`
      UPDATE auto_top_ups SET due_at = ${now()}
      WHERE account_id = ${accountId} AND state = 'on' AND card_id IS NOT NULL AND due_at IS NULL`;
  },
  topUp: (world) => Promise.allSettled(world.admins.map(runAutoTopUps)),
  /** A request in flight holds money, for a while or longer than the run. */
  spend: async (world) => {
    const hold = { id: Bun.randomUUIDv7(), accountId: world.accountId };
    const amountNano = BigInt(world.random.integer(1, 2_000)) * 1_000_000n;
    await world.admin().withdrawals.setAside(hold, { amountNano, lowestNano: amountNano, holdMs: 1 });
  },
  cancel: async (world) => {
    const { payment } = drawHeld(world, ({ state }) => state === 'pending');
    if (payment === undefined) return;
    const input = { paymentId: payment.paymentId, reason: 'Ordered twice' };
    await world.admin().database.db.transaction((transaction) => cancelPayment(transaction, actor, input));
  },
  endRefunds: async (world) => endRefunds(world),
  failRefund: async (world) => {
    const provider = world.stage.stripe;
    const refund = world.random.pickIfAny([...provider.refunds.values()].filter(({ state }) => state === 'succeeded'));
    if (refund === undefined) return;
    provider.failRefund(refund);
    world.notify(provider, refund.payment, { mayBeLost: false, type: 'refund.failed' });
  },
};

async function switchTopUpOn(world: World): Promise<void> {
  const admin = world.admin();
  const { accountId, random } = world;
  const choice = topUpChoices[random.pick(['yookassa', 'stripe'] as const)];
  const rate = { rubPerUsd: admin.config.rubPerUsd, date: null, source: 'configured' as const };
  await admin.database.db.transaction((transaction) =>
    switchOn(admin, transaction, { accountId, choice, consent, rate }),
  );
}

async function isOn({ stage, accountId }: World, method: string): Promise<boolean> {
  const { settings } = await readAutoTopUp(stage.harness.database.db, accountId);
  return settings?.state === 'on' && settings.method === method;
}

/** Refunds that took the provider days. */
export function endRefunds(world: World): void {
  for (const provider of world.providers) {
    for (const refund of provider.refunds.values()) {
      provider.endRefund(refund, world.random.chance(0.8) ? 'succeeded' : 'refused');
    }
  }
}

async function payEarly(world: World, paymentId: string): Promise<void> {
  for (let wait = 0; wait < 20; wait += 1) {
    for (const provider of world.providers) {
      const payment = world.held(provider).find((held) => held.paymentId === paymentId);
      if (payment === undefined) continue;
      provider.pay(payment);
      await world.send(world.write(provider, payment)).catch(() => {});
      await Promise.allSettled(world.admins.map(pollDuePayments));
      return;
    }
    await Bun.sleep(1);
  }
}

function drawHeld(world: World, fits: (held: { state: string; shop: string }) => boolean) {
  const provider: ScriptedPaymentProvider = world.random.pick(world.providers);
  return { provider, payment: world.random.pickIfAny(world.held(provider).filter(fits)) };
}

function isYookassa(world: World, provider: ScriptedPaymentProvider): boolean {
  return provider === world.stage.yookassa;
}
