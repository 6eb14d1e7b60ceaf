/** What a row about money of a payment that went back is called. */
import type { paymentRefunds } from '../tables/payments.ts';

type Returned = Pick<typeof paymentRefunds.$inferSelect, 'kind' | 'providerReference'>;

const kinds = {
  ordered: 'refund',
  reversed: 'reversal',
  restored: 'restoration',
  collected: 'collection',
  disputed: 'dispute',
} as const;

/** As it is called in `/api`. */
export function kindOfRefund(refund: Returned): (typeof kinds)[Returned['kind']] | 'failed_refund' {
  return isOfFailedRefund(refund) ? 'failed_refund' : kinds[refund.kind];
}

/** Gives back what a refund took that failed afterwards, and has its reference. */
export function isOfFailedRefund({ kind, providerReference }: Returned): boolean {
  return kind === 'restored' && providerReference !== null;
}
