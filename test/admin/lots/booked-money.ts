/** Payments and refunds as booking leaves them, without a provider. */
import type { Database } from '../../../admin/database/connect.ts';
import { postCredit, postWithdrawal } from '../../../admin/ledger/post-credit.ts';
import { nanoUsd } from '../../../shared/money.ts';

export interface BookedPayment {
  readonly accountId: number;
  readonly kopecks: bigint;
  readonly nano: bigint;
  readonly paidAt?: Date;
  /** Of a payment in dollars. */
  readonly cents?: bigint;
  /** Otherwise it was paid by bank transfer. */
  readonly yookassa?: { readonly reference: string; readonly email: string };
}

/** Returns the payment's id. */
export async function pay(
  { db, sql }: Database,
  { accountId, kopecks, nano, paidAt = new Date(), cents, yookassa }: BookedPayment,
): Promise<string> {
  const id = Bun.randomUUIDv7();
  const input = {
    accountId,
    type: 'payment',
    amountNano: nanoUsd(nano),
    reason: 'Top-up',
    idempotencyKey: id,
  } as const;
  const { transactionId } = await postCredit(db, input);
  await sql`
    INSERT INTO payments (id, account_id, method, status, currency, amount_minor, credit_nano, rub_per_usd, margin_ppm,
      rub_kopecks, return_url, email, provider_reference, transaction_id, paid_at, expires_at)
    VALUES (${id}, ${accountId}, ${yookassa ? 'yookassa' : 'invoice'}, 'succeeded',
      ${cents === undefined ? 'RUB' : 'USD'}, ${String(cents ?? kopecks)}, ${String(nano)}, 900000, 0, ${String(kopecks)}, '', ${yookassa?.email ?? ''}, ${yookassa?.reference ?? null},
      ${transactionId}, ${paidAt}, now())`;
  return id;
}

/** `kopecks` are cents of a payment in dollars. */
interface MovedBack extends Omit<BookedPayment, 'paidAt' | 'cents' | 'yookassa'> {
  readonly paymentId: string;
}

export async function giveBack(
  { db, sql }: Database,
  { accountId, paymentId, kopecks, nano }: MovedBack,
): Promise<void> {
  const id = Bun.randomUUIDv7();
  const input = { accountId, amountNano: nanoUsd(nano), reason: 'Refund', idempotencyKey: id, holdId: null };
  const { transactionId } = await postWithdrawal(db, input);
  await sql`
    INSERT INTO payment_refunds (id, payment_id, kind, status, amount_minor, amount_nano, reason, transaction_id, finished_at)
    VALUES (${id}, ${paymentId}, 'ordered', 'succeeded', ${String(kopecks)}, ${String(nano)}, '', ${transactionId}, now())`;
}

/** As a dispute that was won. */
export async function bringBack(
  { db, sql }: Database,
  { accountId, paymentId, kopecks, nano }: MovedBack,
): Promise<void> {
  const id = Bun.randomUUIDv7();
  const credit = { accountId, type: 'payment', reason: 'Dispute won', idempotencyKey: id } as const;
  const { transactionId } = await postCredit(db, { ...credit, amountNano: nanoUsd(nano) });
  await sql`
    INSERT INTO payment_refunds (id, payment_id, kind, status, amount_minor, amount_nano, reason, transaction_id, finished_at)
    VALUES (${id}, ${paymentId}, 'restored', 'succeeded', ${String(kopecks)}, ${String(nano)}, '', ${transactionId}, now())`;
}
