/** Compares a payment with its provider's truth. */

import type { Payment } from '../../../admin/database/rows/payment.ts';
import { partsPerMillion } from '../../../admin/money/payment-money.ts';
import { convertAmount } from '../../../admin/payments/creation/convert-amount.ts';
import type { RubPerUsd } from '../../../shared/money.ts';
import { disputedMinorOf, type HeldPayment } from './scripted-provider.ts';

export interface CheckedPayment {
  readonly payment: Payment;
  /** Undefined if the provider has none. */
  readonly truth: HeldPayment | undefined;
  readonly shop: string;
  /** With the payment's id as their key. */
  readonly journals: number;
}

/** Returns the problems; expected to be none. */
export function findPaymentProblems({ payment, truth, shop, journals }: CheckedPayment): string[] {
  const fits =
    truth !== undefined &&
    truth.amountMinor === payment.amountMinor &&
    truth.currency === payment.currency &&
    truth.shop === shop;
  const isPaid = truth?.state === 'paid' && fits;
  const problems: string[] = [];
  const expect = (what: string, found: unknown, expected: unknown) => {
    if (found !== expected) problems.push(`${payment.id}: ${what} is ${String(found)}, not ${String(expected)}`);
  };
  // A payment that was booked before its provider's truth was changed stays booked.
  if (!fits && truth !== undefined && payment.transactionId !== null) return [];
  expect('the number of journals', journals, isPaid ? 1 : 0);
  expect('booked', payment.transactionId !== null, isPaid);
  // An operator may have canceled it then. Another shop's payment is not believed before its reference is known.
  const isBelieved = truth?.shop === shop || payment.providerReference !== null;
  if (truth?.state === 'paid' && !fits && isBelieved && payment.status !== 'canceled')
    expect('the status', payment.status, 'review');
  if (!isPaid) return problems;
  const returnedMinor = truth.refundedMinor + disputedMinorOf(truth);
  expect('what was refunded', payment.refundedMinor, returnedMinor);
  expect('the status', payment.status, returnedMinor === payment.amountMinor ? 'refunded' : 'succeeded');
  const rate = { rubPerUsd: payment.rubPerUsd as RubPerUsd };
  const { creditNano } = convertAmount(payment, rate, partsPerMillion(payment.marginPpm));
  expect('the credit', payment.creditNano, creditNano);
  return problems;
}
