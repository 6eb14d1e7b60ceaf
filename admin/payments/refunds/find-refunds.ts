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

/** A provider's response, and the refunds ordered here that had ended before it was queried. */
export interface ProviderResponse extends ProviderPayment {
  readonly endedRefunds: ReadonlySet<string>;
}

/** Their ids. */
export async function readEndedRefunds(db: DbOrTransaction, paymentId: string): Promise<ReadonlySet<string>> {
  const refunds = await readRefunds(db, paymentId);
  return new Set(refunds.filter((refund) => refund.kind === 'ordered' && !isPending(refund)).map(({ id }) => id));
}

export const isPending = ({ status }: Refund): boolean => status === 'pending';
export const isInReview = (refund: Refund): boolean => isPending(refund) && refund.reviewSince !== null;

/**
 * Whether the provider's sum says nothing about refunds that it made without us: one of ours is under way, or has ended since
 * the provider was queried, and may be in the sum or not.
 */
export function isUnsettled(refunds: readonly Refund[], { endedRefunds }: ProviderResponse): boolean {
  return refunds.some((refund) => (refund.kind === 'ordered' ? !endedRefunds.has(refund.id) : isPending(refund)));
}

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
  /** Undefined if the provider made it without us, or after we had taken it for refused. */
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
      (refund) => isBookedOrder(refund) && (refund.id === refundId || refund.providerReference === reference),
    );
    if (ours !== undefined) return { reference, amountMinor: ours.amountMinor, ours };
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
export function hasFailed(refund: Refund, refunds: readonly Refund[]): boolean {
  const { providerReference } = refund;
  if (!isBookedOrder(refund) || providerReference === null) return false;
  return refunds.some((other) => isOfFailedRefund(other) && other.providerReference === providerReference);
}

function isBookedOrder({ kind, status }: Refund): boolean {
  return kind === 'ordered' && status === 'succeeded';
}

/** What refunds that the provider made without us have taken, and that was not given back. */
function reversedMinorOf(refunds: readonly Refund[]): bigint {
  const ours = new Set(refunds.filter(isBookedOrder).map(({ providerReference }) => providerReference));
  const given = refunds.filter((refund) => isOfFailedRefund(refund) && !ours.has(refund.providerReference));
  return sumOf(refunds.filter((refund) => isOfRefund(refund) && refund.kind === 'reversed')) - sumOf(given);
}

/** What is on its way back. */
export function pendingMinorOf(refunds: readonly Refund[]): bigint {
  return sumOf(refunds.filter(isPending));
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
