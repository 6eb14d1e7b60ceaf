/**
 * Counts how attempts of automatic top-ups have ended, each once: a success makes the next one possible, a failure is
 * repeated after a pause, and the third failure in a row stops them. An attempt in review is not counted until an operator
 * has decided, because its money may have moved.
 */
import { eq } from 'drizzle-orm';
import type { Transaction } from '../../database/connect.ts';
import { changePayment, lockPayment, type Payment } from '../../database/rows/payment.ts';
import { autoTopUps } from '../../database/tables/auto-top-ups.ts';
import { amountsOf } from '../book-payment.ts';
import { queuePaymentMail } from '../payment-mails.ts';
import type { PaymentServices } from '../payment-services.ts';
import { readAutoTopUp } from './saved-card.ts';

const countedAtOnce = 50;
const hourMs = 3_600_000;
/** After the first and the second failure in a row. */
const pausesMs = [hourMs, 24 * hourMs] as const;

/** Returns how many there were. One's failure does not stop the others. */
export async function countOutcomes({ database, log, now }: PaymentServices): Promise<number> {
  const ended = await database.sql<{ id: string }[]>`
    SELECT id FROM payments WHERE NOT outcome_counted AND status NOT IN ('pending', 'review') LIMIT ${countedAtOnce}`;
  for (const { id } of ended) {
    try {
      await database.db.transaction((transaction) => countOutcome(transaction, id, now()));
    } catch (error) {
      log.error({ err: error, payment: id }, 'the outcome of an automatic top-up could not be counted');
    }
  }
  return ended.length;
}

async function countOutcome(transaction: Transaction, paymentId: string, at: Date): Promise<void> {
  const { payment } = await lockPayment(transaction, paymentId);
  if (payment.outcomeCounted !== false) return;
  await changePayment(transaction, payment, { outcomeCounted: true });
  const { settings } = await readAutoTopUp(transaction, payment.accountId);
  if (settings?.state !== 'on') return;
  const isPaid = payment.status === 'succeeded' || payment.status === 'refunded';
  if (isPaid) return change(transaction, payment, { failures: 0, dueAt: at });
  const failures = settings.failures + 1;
  const pauseMs = pausesMs[failures - 1];
  if (pauseMs === undefined) {
    await change(transaction, payment, { failures, dueAt: null, state: 'stopped', stopReason: 'failures' });
    const data = { ...amountsOf(payment), reason: 'failures' as const };
    return queuePaymentMail(transaction, payment, { kind: 'auto_top_up_stopped', data });
  }
  const dueAt = new Date(at.getTime() + pauseMs);
  await change(transaction, payment, { failures, dueAt });
  const data = { ...amountsOf(payment), nextAttemptAt: dueAt.toISOString() };
  await queuePaymentMail(transaction, payment, { kind: 'auto_top_up_failed', data });
}

async function change(
  transaction: Transaction,
  { accountId }: Payment,
  values: Partial<typeof autoTopUps.$inferInsert>,
): Promise<void> {
  await transaction.update(autoTopUps).set(values).where(eq(autoTopUps.accountId, accountId));
}
