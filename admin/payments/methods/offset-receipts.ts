/** Receipts of 54-ФЗ that offset an advance, for payment methods whose provider sends them. */
import type { MinorUnits } from '../../money/payment-money.ts';

export interface OffsetReceipts {
  /**
   * Has a receipt made. Throws ProviderError: after `unavailable` it may have been made, and the call is repeated with the
   * same key for less than a day.
   */
  create(input: OffsetReceiptInput): Promise<OffsetReceiptResult>;
  /** Undefined if the provider has no such receipt. */
  find(query: OffsetReceiptQuery): Promise<OffsetReceiptResult | undefined>;
}

export interface OffsetReceiptInput {
  readonly key: string;
  readonly paymentReference: string;
  /** Differs between all receipts of a payment. */
  readonly description: string;
  readonly amountMinor: MinorUnits;
  readonly email: string;
  /** The last day of the month of use, such as `2026-10-31`. */
  readonly serviceDay: string;
}

export interface OffsetReceiptQuery extends Pick<OffsetReceiptInput, 'paymentReference' | 'description'> {
  /** Null if no call to create it was ever answered. */
  readonly reference: string | null;
}

export interface OffsetReceiptResult {
  readonly reference: string;
  readonly state: 'succeeded' | 'pending' | 'failed';
  /** The response as it was received. */
  readonly raw: string;
}
