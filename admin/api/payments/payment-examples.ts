/** Payments for the examples of the reference. */
import type { operatorPaymentSchema, paymentSchema } from './payment-schemas.ts';

export const paymentExample: typeof paymentSchema.static = {
  id: '01945b2e-7c1a-7d3e-8f10-2b3c4d5e6f70',
  status: 'pending',
  method: 'yookassa',
  isAutomatic: false,
  amount: '1000.00',
  currency: 'RUB',
  creditUsd: '11.111111111',
  rate: '90',
  rateDate: '2030-01-01',
  marginPercent: '0',
  valueRub: '1000',
  refundedAmount: '0.00',
  createdAt: '2030-01-01T12:00:00.000Z',
  expiresAt: '2030-01-01T13:00:00.000Z',
  paidAt: null,
  confirmationUrl: 'https://yoomoney.ru/checkout/payments/v2/contract?orderId=2e8f',
  transactionId: null,
  documentId: null,
  refunds: [],
};

const { refunds: _, ...fields } = paymentExample;

export const operatorPaymentExample: typeof operatorPaymentSchema.static = {
  ...fields,
  status: 'succeeded',
  method: 'invoice',
  paidAt: '2030-01-02T00:00:00.000Z',
  confirmationUrl: null,
  transactionId: 31,
  accountId: 17,
  email: 'ada@example.com',
  reference: '4711',
  problem: null,
  owedUsd: '0',
  disputedAt: null,
  disputeWonAt: null,
  refunds: [],
};
