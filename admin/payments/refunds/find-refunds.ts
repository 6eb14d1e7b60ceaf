/** What is known of the money of a payment that went back. */
import { eq } from 'drizzle-orm';
import type { DbOrTransaction } from '../../database/connect.ts';
import { paymentRefunds } from '../../database/tables/payments.ts';
import type { ProviderDispute, ProviderPayment } from '../methods/payment-method.ts';

export type Refund = typeof paymentRefunds.$inferSelect;

export function readRefunds(db: DbOrTransaction, paymentId: string): Promise<Refund[]> {
  return db.select().from(paymentRefunds).where(eq(paymentRefunds.paymentId, paymentId));
}

export const isPending = ({ status }: Refund): boolean => status === 'pending';
export const isInReview = (refund: Refund): boolean => isPending(refund) && refund.reviewSince !== null;

/**
 * What the provider has taken and nothing here says so: a dispute, or what was refunded in its own cabinet. A dispute that
 * was won before it was booked has come back already. Each dispute counts by itself, so a response that comes late, from
 * before a dispute or before it was won, changes nothing.
 */
export function findMissing(
  refunds: readonly Refund[],
  { disputes, refundedMinor }: ProviderPayment,
): { readonly amountMinor: bigint; readonly disputeReference: string | null } | undefined {
  const dispute = disputes.find(
    ({ reference, isWon }) => !isWon && findOf(refunds, { reference, kind: 'reversed' }) === undefined,
  );
  if (dispute !== undefined) return { amountMinor: dispute.amountMinor, disputeReference: dispute.reference };
  const booked = returnedMinorOf(refunds);
  return refundedMinor > booked ? { amountMinor: refundedMinor - booked, disputeReference: null } : undefined;
}

/** What refunds have returned, with those that are under way. Disputes are not among them. */
export function returnedMinorOf(refunds: readonly Refund[]): bigint {
  return refunds
    .filter(({ disputeReference, status }) => disputeReference === null && status !== 'refused')
    .reduce((sum, { amountMinor }) => sum + amountMinor, 0n);
}

/** The reversal of a dispute that was won since, and that was not given back yet. */
export function findWon(refunds: readonly Refund[], disputes: readonly ProviderDispute[]): Refund | undefined {
  return disputes
    .filter(({ reference, isWon }) => isWon && findOf(refunds, { reference, kind: 'restored' }) === undefined)
    .map(({ reference }) => findOf(refunds, { reference, kind: 'reversed' }))
    .find((reversal) => reversal !== undefined);
}

function findOf(
  refunds: readonly Refund[],
  { reference, kind }: { readonly reference: string; readonly kind: Refund['kind'] },
): Refund | undefined {
  return refunds.find((refund) => refund.disputeReference === reference && refund.kind === kind);
}
