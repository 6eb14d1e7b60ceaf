/** The states of a payment. */

/** In the order of filters. */
export const paymentStatuses = ['review', 'pending', 'succeeded', 'refunded', 'canceled', 'expired'] as const;
export type PaymentStatus = (typeof paymentStatuses)[number];
