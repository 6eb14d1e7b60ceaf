/** What a refund takes from the wallet, and how much of a payment can be refunded. */
import { type NanoUsd, nanoUsd, rubKopecks } from '../../../shared/money.ts';
import type { Payment } from '../../database/rows/payment.ts';
import { type Lot, openKopecksOf, openOf, wholeOf } from '../../lots/lot-book.ts';
import {
  centsToUsd,
  kopecksOfPart,
  type MinorUnits,
  minorUnits,
  partWithKopecks,
  wholeCents,
} from '../../money/payment-money.ts';

/** For the payment as a whole, regardless of its usage: the dollars of these kopecks or cents after the first `from`. */
export function nanoOfMinor(payment: Payment, { from, minor }: { from: bigint; minor: bigint }): NanoUsd {
  if (payment.currency === 'USD') return centsToUsd(minorUnits(minor));
  const whole = { nano: nanoUsd(payment.creditNano), kopecks: rubKopecks(payment.amountMinor) };
  const leftAfter = (returned: bigint) => partWithKopecks(rubKopecks(payment.amountMinor - returned), whole);
  return nanoUsd(leftAfter(from) - leftAfter(from + minor));
}

/** The most that can be refunded of what is unused of the payment's lot. */
export function refundableOf(payment: Payment, lot: Lot): MinorUnits {
  const unused = payment.currency === 'USD' ? wholeCents(nanoUsd(openOf(lot))) : openKopecksOf(lot);
  const left = payment.amountMinor - payment.refundedMinor;
  return minorUnits(unused < left ? unused : left);
}

/** The dollars at the unused end of the lot that these kopecks or cents are. At most what `refundableOf` says. */
export function nanoOfRefund(payment: Payment, lot: Lot, minor: MinorUnits): NanoUsd {
  if (payment.currency === 'USD') return centsToUsd(minor);
  const whole = wholeOf(lot);
  const end = lot.nano - lot.returnedNano;
  const kopecksAfter = kopecksOfPart(nanoUsd(end), whole) - minor;
  const newEnd = partWithKopecks(rubKopecks(kopecksAfter), whole);
  // What is left of the lot may be worth less than a kopeck.
  return nanoUsd(end - (newEnd > lot.usedNano ? newEnd : lot.usedNano));
}
