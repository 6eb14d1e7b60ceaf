/** What is known of the money of a payment that went back. */
import { eq } from 'drizzle-orm';
import type { DbOrTransaction } from '../../database/connect.ts';
import { isOfFailedRefund } from '../../database/rows/refund.ts';
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
 * before a dispute or before it was won, changes nothing. Nor does one from before a refund failed, whose sum includes it.
 * A dispute takes what was left of the payment; if a refund before it fails, or another dispute is won, it takes the rest.
 */
export function findMissing(
  refunds: readonly Refund[],
  { disputes, refundedMinor, failedRefunds }: ProviderPayment,
): { readonly amountMinor: bigint; readonly disputeReference: string | null } | undefined {
  for (const { reference, isWon, amountMinor } of disputes) {
    const restMinor = amountMinor - sumOf(allOf(refunds, { reference, kind: 'reversed' }));
    const isOpen = !isWon && allOf(refunds, { reference, kind: 'restored' }).length === 0;
    if (isOpen && restMinor > 0n) return { amountMinor: restMinor, disputeReference: reference };
  }
  const known = new Set<string | null>(failedRefunds.map(({ reference }) => reference));
  if (refunds.some((refund) => isOfFailedRefund(refund) && !known.has(refund.providerReference))) return undefined;
  const booked = returnedMinorOf(refunds);
  return refundedMinor > booked ? { amountMinor: refundedMinor - booked, disputeReference: null } : undefined;
}

/** Disputes that are not won, and of which nothing here says that they were taken or could not be. */
export function findUnnoted(refunds: readonly Refund[], { disputes }: ProviderPayment): ProviderDispute[] {
  const isNoted = (reference: string) =>
    (['reversed', 'disputed'] as const).some((kind) => allOf(refunds, { reference, kind }).length > 0);
  return disputes.filter(({ reference, isWon }) => !isWon && !isNoted(reference));
}

/** What refunds have returned, with those that are under way, less those that failed. Disputes are not among them. */
export function returnedMinorOf(refunds: readonly Refund[]): bigint {
  return sumOf(refunds.filter(isOfRefund)) - sumOf(refunds.filter(isOfFailedRefund));
}

/** A refund of which the payer got nothing in the end. */
export interface FailedRefund {
  readonly reference: string;
  readonly amountMinor: bigint;
  /** Undefined if the provider made it without us. */
  readonly ours: Refund | undefined;
}

/** One that has failed since it was booked, and that was not given back yet. */
export function findFailed(
  refunds: readonly Refund[],
  { failedRefunds, refundedMinor }: ProviderPayment,
): FailedRefund | undefined {
  const given = new Set(refunds.filter(isOfFailedRefund).map(({ providerReference }) => providerReference));
  for (const { reference, refundId, amountMinor } of failedRefunds) {
    if (given.has(reference)) continue;
    const ours = refunds.find(
      ({ id, kind, providerReference }) => kind === 'ordered' && (id === refundId || providerReference === reference),
    );
    if (ours?.status === 'succeeded') return { reference, amountMinor: ours.amountMinor, ours };
    if (ours !== undefined) continue;
    // One that failed before it was booked has taken nothing.
    const excess = returnedMinorOf(refunds) - refundedMinor;
    const takenMinor = [excess, reversedMinorOf(refunds)].reduce(
      (least, one) => (one < least ? one : least),
      amountMinor,
    );
    if (takenMinor > 0n) return { reference, amountMinor: takenMinor, ours };
  }
  return undefined;
}

/** Whether it failed after it had succeeded, so that its amount was given back. */
export function hasFailed({ kind, providerReference }: Refund, refunds: readonly Refund[]): boolean {
  if (kind !== 'ordered' || providerReference === null) return false;
  return refunds.some((other) => isOfFailedRefund(other) && other.providerReference === providerReference);
}

/** What refunds that the provider made without us have taken, and that was not given back. */
function reversedMinorOf(refunds: readonly Refund[]): bigint {
  const ours = new Set(refunds.filter(({ kind }) => kind === 'ordered').map((refund) => refund.providerReference));
  const given = refunds.filter((refund) => isOfFailedRefund(refund) && !ours.has(refund.providerReference));
  return sumOf(refunds.filter((refund) => isOfRefund(refund) && refund.kind === 'reversed')) - sumOf(given);
}

function isOfRefund({ disputeReference, status }: Refund): boolean {
  return disputeReference === null && status !== 'refused';
}

function sumOf(refunds: readonly Refund[]): bigint {
  return refunds.reduce((sum, { amountMinor }) => sum + amountMinor, 0n);
}

/** A dispute that was won since it was taken, and that was not given back yet, with what it has taken. */
export function findWon(
  refunds: readonly Refund[],
  disputes: readonly ProviderDispute[],
): { readonly reference: string; readonly amountMinor: bigint } | undefined {
  return disputes
    .filter(({ reference, isWon }) => isWon && allOf(refunds, { reference, kind: 'restored' }).length === 0)
    .map(({ reference }) => ({ reference, amountMinor: sumOf(allOf(refunds, { reference, kind: 'reversed' })) }))
    .find(({ amountMinor }) => amountMinor > 0n);
}

function allOf(
  refunds: readonly Refund[],
  { reference, kind }: { readonly reference: string; readonly kind: Refund['kind'] },
): Refund[] {
  return refunds.filter((refund) => refund.disputeReference === reference && refund.kind === kind);
}
