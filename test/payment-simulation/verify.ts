/** Compares the ledger with the providers' truth, to the kopeck. Returns the problems; expected to be none. */
import { moscowDay } from '../../admin/catalogue/exchange-rate/rate-schedule.ts';
import type { Payment } from '../../admin/database/rows/payment.ts';
import { countLots } from '../../admin/lots/count-lots.ts';
import { listPayments, readDetails } from '../../admin/payments/list-payments.ts';
import type { Refund } from '../../admin/payments/refunds/find-refunds.ts';
import { nanoOfMinor } from '../../admin/payments/refunds/refund-amounts.ts';
import { findPaymentProblems } from '../harness/payments/find-payment-problems.ts';
import type { HeldPayment } from '../harness/payments/scripted-provider.ts';
import { topUpChoices } from './steps.ts';
import type { World } from './world.ts';

export async function verify(world: World): Promise<string[]> {
  const { database, keeper } = world.stage.harness;
  const { payments } = await listPayments(
    database.db,
    { accountId: world.accountId, status: undefined },
    { limit: 1_000, offset: 0 },
  );
  const held = Map.groupBy(
    world.providers.flatMap((provider) => [...provider.payments.values()]),
    ({ paymentId }) => paymentId,
  );
  const problems: string[] = [];
  let expectedNano = 0n;
  for (const payment of payments) {
    const truths = held.get(payment.id) ?? [];
    if (truths.length > 1) problems.push(`${payment.id}: ${truths.length} payments at the provider`);
    const { refunds } = (await readDetails(database.db, [payment.id]))(payment.id);
    problems.push(...(await verifyPayment(world, payment, truths[0])));
    const done = refunds.filter(({ status }) => status === 'succeeded');
    for (const refund of refunds) if (refund.status === 'pending') problems.push(`${payment.id}: a refund is pending`);
    const returned = done.reduce(
      (sum, { amountMinor, kind }) => sum + (kind === 'restored' ? -amountMinor : amountMinor),
      0n,
    );
    if (returned !== payment.refundedMinor)
      problems.push(`${payment.id}: refunds sum to ${returned}, not ${payment.refundedMinor}`);
    const owed = done.reduce((sum, refund) => sum + owedBy(refund), 0n);
    if (owed !== payment.owedNano) problems.push(`${payment.id}: refunds owe ${owed}, not ${payment.owedNano}`);
    for (const { kind, amountMinor, amountNano, owedNano } of done) {
      if (kind === 'collected') continue;
      if (kind === 'ordered' && owedNano !== 0n) problems.push(`${payment.id}: an ordered refund is owed`);
      const least = nanoOfMinor(payment, { from: 0n, minor: amountMinor });
      const difference = amountNano + owedNano - least;
      if (difference < -1n || difference > 1n)
        problems.push(`${payment.id}: ${amountMinor} took ${amountNano + owedNano}, not ${least}`);
    }
    if (payment.transactionId !== null) expectedNano += payment.creditNano;
    expectedNano -= done.reduce(
      (sum, { amountNano, kind }) => sum + (kind === 'restored' ? -amountNano : amountNano),
      0n,
    );
  }
  const [account] = await database.sql<{ balance_nano: string }[]>`
    SELECT balance_nano FROM accounts WHERE id = ${world.accountId}`;
  const balance = BigInt(account?.balance_nano ?? '0');
  if (balance !== expectedNano) problems.push(`the balance is ${balance}, the payments say ${expectedNano}`);
  if (balance < 0n) problems.push(`the balance is ${balance}`);
  const wallet = await keeper.readWallet(world.accountId);
  if (wallet !== undefined && (wallet.availableNano !== balance || wallet.heldNano !== 0n)) {
    problems.push(`the wallet has ${wallet.availableNano} and holds ${wallet.heldNano}, the ledger says ${balance}`);
  }
  problems.push(...(await verifyLots(world, payments)), ...verifyLimits(payments));
  return problems;
}

/** How much more the payment owes after it. */
function owedBy({ kind, amountNano, owedNano }: Refund): bigint {
  if (kind === 'collected') return -amountNano;
  return kind === 'restored' ? -owedNano : owedNano;
}

async function verifyPayment(
  { stage, admins }: World,
  payment: Payment,
  truth: HeldPayment | undefined,
): Promise<string[]> {
  const journals = await stage.harness.database.sql`SELECT FROM journals WHERE idempotency_key = ${payment.id}`;
  const { shop } = stage.yookassa;
  const margin = admins[0]?.config.payments.marginPpm;
  return [
    ...(payment.marginPpm === margin ? [] : [`${payment.id}: the margin is ${payment.marginPpm}, not ${margin}`]),
    ...findPaymentProblems({ payment, truth, shop, journals: journals.length }),
  ];
}

/** No day has more automatic charges than its customer allowed, and no customer has more than one under way. */
function verifyLimits(payments: readonly Payment[]): string[] {
  const automatic = payments.filter(({ cardId, transactionId }) => cardId !== null && transactionId !== null);
  const open = payments.filter(({ outcomeCounted, status }) => outcomeCounted === false && status !== 'review');
  const problems = open.map(({ id, status }) => `${id}: its outcome is not counted, it is ${status}`);
  const byDay = Map.groupBy(automatic, ({ method, createdAt }) => `${method} ${moscowDay(createdAt)}`);
  for (const [day, charged] of byDay) {
    const sum = charged.reduce((total, { amountMinor }) => total + amountMinor, 0n);
    const limit = day.startsWith('stripe') ? topUpChoices.stripe.dayLimitMinor : topUpChoices.yookassa.dayLimitMinor;
    if (sum > limit) problems.push(`${day}: ${sum} were charged automatically, the limit is ${limit}`);
  }
  return problems;
}

async function verifyLots({ stage, accountId }: World, payments: readonly Payment[]): Promise<string[]> {
  const { db, sql } = stage.harness.database;
  await db.transaction((transaction) => countLots(transaction, accountId, { billingTimeZone: 'Europe/Moscow' }));
  const [sums] = await sql<{ kopecks: string; counted: string }[]>`
    SELECT coalesce(sum(kopecks), 0) AS kopecks,
      coalesce(sum(kopecks - used_kopecks - returned_kopecks), 0)
        + coalesce((SELECT sum(lot_parts.kopecks) FROM lot_parts JOIN lots ON line_id = lot_line_id
            WHERE account_id = ${accountId}), 0) AS counted
    FROM lots WHERE account_id = ${accountId}`;
  const paid = payments.filter(({ transactionId }) => transactionId !== null);
  const expected = paid.reduce((sum, { rubKopecks }) => sum + rubKopecks, 0n);
  return sums?.kopecks === String(expected) && sums.counted === sums.kopecks
    ? []
    : [`lots have ${sums?.kopecks} kopecks, their parts ${sums?.counted}, the payments ${expected}`];
}
