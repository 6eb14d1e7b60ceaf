/**
 * The payment methods, a row each, in the order in which customers see them. What a method does is in
 * admin/payments/methods; its words for customers are in the dashboard's texts. It runs in a browser too.
 */

interface MethodRow {
  /** Stored with each payment, and part of the address of notifications. It never changes. */
  readonly id: string;
  /** In transactions and messages. */
  readonly title: string;
  /** Whether its provider reports payments to `/api/webhooks/{id}`. */
  readonly sendsNotifications: boolean;
}

export const paymentMethods = [
  { id: 'invoice', title: 'Bank transfer', sendsNotifications: false },
  { id: 'yookassa', title: 'YooKassa', sendsNotifications: true },
  { id: 'stripe', title: 'Stripe', sendsNotifications: true },
  { id: 'test', title: 'Test payment', sendsNotifications: false },
] as const satisfies readonly MethodRow[];

export type PaymentMethodId = (typeof paymentMethods)[number]['id'];

/** Without a provider: an operator confirms that the money has arrived. */
export const bankTransfer = 'invoice' satisfies PaymentMethodId;
/** Without money, for trying things out. */
export const testPayment = 'test' satisfies PaymentMethodId;

/** Undefined for a method that another version has. */
export function knownMethod(id: string): (typeof paymentMethods)[number] | undefined {
  return paymentMethods.find((method) => method.id === id);
}

export const methodTitle = (id: string): string => knownMethod(id)?.title ?? id;
