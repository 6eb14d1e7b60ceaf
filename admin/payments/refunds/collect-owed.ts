/**
 * Takes what a reversal could not: money that requests in flight held at the time, and have returned since. For a day after
 * the last reversal, and never more than the wallet has. What is still owed then stays recorded.
 *
 * Each part is set aside in the wallet first, and then booked: its id is the key of its journal and of its hold. An admin
 * that is killed in between takes nothing: the hold expires, and the next attempt begins a part of its own.
 */
import { sql } from 'drizzle-orm';
import { nanoUsd } from '../../../shared/money.ts';
import type { Transaction } from '../../database/connect.ts';
import { changePayment, findPayment, lockPayment } from '../../database/rows/payment.ts';
import { paymentRefunds, payments } from '../../database/tables/payments.ts';
import { postWithdrawal } from '../../ledger/post-credit.ts';
import { deliverCredit } from '../book-payment.ts';
import type { PaymentServices } from '../payment-services.ts';
import { type Refund, readRefunds } from './find-refunds.ts';

const collectingMs = 24 * 3_600_000;
const shortestPauseMs = 15_000;
const longestPauseMs = 600_000;
/** Until the outbox has delivered the part. */
const holdMs = 60_000;

/** To be called whenever the payment is queried, which it schedules while something is owed. */
export async function collectOwed(services: PaymentServices, paymentId: string): Promise<void> {
  const { database, now } = services;
  const owing = await findPayment(database.db, paymentId);
  if (owing.owedNano === 0n) return;
  const waitedMs = now().getTime() - lastReversalMs(await readRefunds(database.db, paymentId));
  if (waitedMs >= collectingMs) return;
  const rest = await takePart(services, { paymentId, accountId: owing.accountId, owedNano: owing.owedNano });
  if (rest === 0n) return;
  // A query that has become due in the meantime stays due.
  const at = now();
  const next = new Date(at.getTime() + Math.min(Math.max(waitedMs / 2, shortestPauseMs), longestPauseMs));
  await database.db
    .update(payments)
    .set({
      nextAskAt: sql`CASE WHEN ${payments.nextAskAt} <= ${at.toISOString()}::timestamptz THEN ${payments.nextAskAt}
      ELSE ${next.toISOString()}::timestamptz END`,
    })
    .where(sql`${payments.id} = ${paymentId}`);
}

function lastReversalMs(refunds: readonly Refund[]): number {
  const ends = refunds.filter(({ kind }) => kind === 'reversed').map(({ finishedAt }) => finishedAt?.getTime() ?? 0);
  return Math.max(0, ...ends);
}

interface Debt {
  readonly paymentId: string;
  readonly accountId: number;
  readonly owedNano: bigint;
}

/** Returns what is still owed. */
async function takePart(services: PaymentServices, { paymentId, accountId, owedNano }: Debt): Promise<bigint> {
  const part = { id: Bun.randomUUIDv7(), accountId };
  const held = await services.withdrawals.setAside(part, { amountNano: owedNano, lowestNano: 1n, holdMs });
  if (!held.ok) return owedNano;
  const rest = await services.database.db.transaction((transaction) =>
    bookPart(transaction, { partId: part.id, paymentId, takenNano: held.amountNano, at: services.now() }),
  );
  if (rest === undefined) {
    await services.withdrawals.giveBack(part);
    return owedNano;
  }
  await deliverCredit(services, accountId);
  return rest;
}

interface Part {
  readonly partId: string;
  readonly paymentId: string;
  readonly takenNano: bigint;
  readonly at: Date;
}

/** Returns what is still owed; undefined if less is owed than was set aside, because the dispute was won in the meantime. */
async function bookPart(
  transaction: Transaction,
  { partId, paymentId, takenNano, at }: Part,
): Promise<bigint | undefined> {
  const { payment } = await lockPayment(transaction, paymentId);
  const owedNano = payment.owedNano - takenNano;
  if (owedNano < 0n) return undefined;
  const { transactionId } = await postWithdrawal(transaction, {
    accountId: payment.accountId,
    amountNano: nanoUsd(takenNano),
    reason: 'Rest of a reversed payment',
    idempotencyKey: partId,
    holdId: partId,
  });
  await transaction.insert(paymentRefunds).values({
    id: partId,
    paymentId,
    kind: 'collected',
    status: 'succeeded',
    amountMinor: 0n,
    amountNano: takenNano,
    reason: 'Rest of a reversal',
    transactionId,
    finishedAt: at,
  });
  await changePayment(transaction, payment, { owedNano });
  return owedNano;
}
