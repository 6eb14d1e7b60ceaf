/**
 * What every payment method does: create a payment at the provider, ask about it, refund it, and read a notification.
 * Each is a row of shared/payment-methods.ts, a folder here and a line in methods.ts. Methods know nothing of the ledger; what they say about a payment is
 * validated in admin/payments/apply-provider-payment.ts.
 *
 * Every call has a timeout, a size limit, and throws ProviderError only. Calls that change something carry an idempotency
 * key, so that repeating one whose outcome is unknown changes nothing.
 */
import type { Sql } from 'postgres';
import type { PaymentMethodId } from '../../../shared/payment-methods.ts';
import type { PaymentConfig } from '../../config/payments.ts';
import type { PaymentCurrency } from '../../database/tables/payments.ts';
import type { Seller } from '../../documents/seller/read-seller.ts';
import type { MinorUnits } from '../../money/payment-money.ts';
import type { OffsetReceipts } from './offset-receipts.ts';

export interface MethodContext {
  readonly config: { readonly payments: PaymentConfig; readonly publicUrl: string };
  readonly sql: Sql;
  /** Undefined if there is no `SELLER_FILE`. */
  readonly seller: Seller | undefined;
}

/** Undefined unless the variables of the method are set. Throws ConfigurationError if they contradict the seller's file. */
export type MethodFactory = (context: MethodContext) => PaymentMethod | undefined;

export interface PaymentMethod {
  readonly id: PaymentMethodId;
  readonly currencies: readonly PaymentCurrency[];
  /** Whether a card pays, which a customer who disputed a payment may not use again. */
  readonly isCard: boolean;
  /** Whether only companies can use it, whose details are known. */
  readonly needsCompany: boolean;
  /** How long the customer has to pay. */
  readonly lifetimeMs: number;
  /** Whether there is a provider to query. Otherwise an operator confirms that the money has arrived. */
  readonly isPolled: boolean;
  /** Whether it can keep a card and charge it without the customer. */
  readonly savesCards: boolean;
  /** Undefined if no receipts are sent for what was used of its payments. */
  readonly offsetReceipts: OffsetReceipts | undefined;
  create(input: ProviderPaymentInput): Promise<OpenedPayment>;
  /** Undefined if the provider knows no such payment. */
  query(payment: PaymentQuery): Promise<ProviderPayment | undefined>;
  /** Repeated until it is no longer pending; `reference` is from the first response. */
  refund(input: ProviderRefundInput): Promise<RefundResult>;
  /**
   * The refund that an earlier call has made; undefined if certainly none has, because it is then made again. Asked once the
   * provider may have forgotten the key.
   */
  findRefund(input: ProviderRefundInput): Promise<RefundResult | undefined>;
  /** Undefined if the notification is not from the provider, or is malformed. */
  readNotification(notification: Notification): Promise<NotificationReading | undefined>;
  /** Asks the provider whether our keys work. Returns a description of the shop for operators. */
  check(): Promise<string>;
}

export interface ProviderPaymentInput {
  /** The idempotency key. */
  readonly paymentId: string;
  readonly amountMinor: MinorUnits;
  readonly currency: PaymentCurrency;
  readonly description: string;
  readonly email: string;
  /** Where the provider sends the browser afterwards. */
  readonly returnUrl: string;
  readonly expiresAt: Date;
  /** Whether the provider keeps the card. */
  readonly savesCard: boolean;
  /** The card that it charges immediately, without a page; null for an order that the customer pays. */
  readonly card: Pick<ProviderCard, 'reference' | 'customer'> | null;
}

/** A card that the provider keeps. */
export interface ProviderCard {
  readonly reference: string;
  /** The provider's id of the customer, where it has one. */
  readonly customer: string | null;
  /** Such as "Visa •••• 4242". */
  readonly title: string;
}

export interface OpenedPayment {
  readonly reference: string | null;
  readonly confirmationUrl: string | null;
}

export interface PaymentQuery {
  readonly paymentId: string;
  /** Null if the response to `create` was never received. */
  readonly reference: string | null;
  readonly createdAt: Date;
  /** Whether it was created to charge a saved card. */
  readonly isAutomatic: boolean;
}

/** A customer's bank has taken money back. */
export interface ProviderDispute {
  readonly reference: string;
  readonly amountMinor: MinorUnits;
  /** The provider has returned it to us. */
  readonly isWon: boolean;
}

/** A refund that did not reach the payer, even if it was reported as succeeded before: the money is ours again. */
export interface ProviderFailedRefund {
  readonly reference: string;
  /** Our id of it; null if it was not created by us. */
  readonly refundId: string | null;
  readonly amountMinor: MinorUnits;
}

/** The provider's truth about a payment. */
export interface ProviderPayment {
  readonly reference: string;
  /** Our id, as we passed it to the provider at creation; null if it was not created by us. */
  readonly paymentId: string | null;
  /** False for another shop's payment. */
  readonly isOurs: boolean;
  /** `declined`: an attempt to pay failed for good. `expired`: it was not paid in time. */
  readonly state: 'pending' | 'paid' | 'declined' | 'expired';
  readonly amountMinor: MinorUnits;
  readonly currency: string;
  readonly paidAt: Date | null;
  /** What went back to the customer by refunds, without those that failed. */
  readonly refundedMinor: MinorUnits;
  readonly failedRefunds: readonly ProviderFailedRefund[];
  /** Disputes that have taken money, even if it has been returned since. */
  readonly disputes: readonly ProviderDispute[];
  /** The card that the payment has saved; null if it has saved none. */
  readonly card: ProviderCard | null;
  /** The response as it was received. */
  readonly raw: string;
}

export interface ProviderRefundInput {
  /** The idempotency key. */
  readonly refundId: string;
  readonly reference: string | null;
  readonly paymentReference: string;
  readonly amountMinor: MinorUnits;
  readonly currency: PaymentCurrency;
  readonly description: string;
  readonly email: string;
}

export interface RefundResult {
  readonly state: 'succeeded' | 'pending' | 'refused';
  readonly reference: string | null;
  /** Why it was refused, for operators. */
  readonly problem: string | null;
}

export interface Notification {
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
}

/** The subject of a notification. Nothing else in it is trusted: the provider is queried. */
export interface NotificationReading {
  readonly reference: string | null;
  readonly paymentId: string | null;
  /**
   * What is kept of it, and the same for every repetition: the whole where a signature proves who has sent it, otherwise
   * only the few words that say what has happened.
   */
  readonly kept: string;
}

/**
 * `refused`: the provider has refused the call, and nothing has happened. `unavailable`: it may have happened or not;
 * repeat the call. `denied`: it does not accept our key, which says nothing about the call, or earlier ones; repeat it, too.
 */
export class ProviderError extends Error {
  override readonly name = 'ProviderError';

  constructor(
    readonly kind: 'refused' | 'unavailable' | 'denied',
    message: string,
    options?: { readonly cause?: unknown },
  ) {
    super(message, options);
  }
}
