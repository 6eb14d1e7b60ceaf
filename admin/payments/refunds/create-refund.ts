/** An operator creates a refund: never more than is unused of the payment, nor than is left of the balance. */
import { GatewayError } from '../../../shared/errors.ts';
import { nanoUsd } from '../../../shared/money.ts';
import type { Transaction } from '../../database/connect.ts';
import { amountText, isBooked, lockPayment, type Payment, wrongState } from '../../database/rows/payment.ts';
import { paymentRefunds } from '../../database/tables/payments.ts';
import { catchUpLots } from '../../lots/catch-up-lots.ts';
import { countLots } from '../../lots/count-lots.ts';
import type { LotConfig } from '../../lots/lines.ts';
import type { Lot } from '../../lots/lot-book.ts';
import { readLotOfPayment } from '../../lots/store-book.ts';
import { formatMinorUnits, type MinorUnits, minorUnits } from '../../money/payment-money.ts';
import { type Actor, recordAction } from '../../operations/audit/record-action.ts';
import type { BookingServices } from '../payment-services.ts';
import { isPending, readRefunds } from './find-refunds.ts';
import { nanoOfRefund, refundableOf } from './refund-amounts.ts';

export interface RefundInput {
  readonly paymentId: string;
  /** As much as possible if undefined. */
  readonly amountMinor: MinorUnits | undefined;
  readonly reason: string;
}

/**
 * To be called first. Usage that is booked between this and the refund may use some of the lot; then the refund takes the
 * difference from the account's other lots.
 */
export async function prepareRefund({ database, config }: BookingServices, { accountId }: Payment): Promise<void> {
  await catchUpLots(database.db, accountId, config.payments);
  await database.db.transaction((transaction) => countLots(transaction, accountId, config.payments));
}

/** Returns the id of the refund, which is then to be run. Throws GatewayError `payment_state` or `refund_too_large`. */
export async function createRefund(
  transaction: Transaction,
  { config }: Pick<BookingServices, 'config'>,
  { input, actor }: { input: RefundInput; actor: Actor },
): Promise<string> {
  const { payment, account } = await lockPayment(transaction, input.paymentId);
  if (!isBooked(payment)) throw wrongState(payment.status, 'cannot be refunded');
  if ((await readRefunds(transaction, payment.id)).some(isPending)) throw refundPending();
  const lot = await findLot(transaction, config.payments, payment);
  const refundable = refundableOf(payment, lot);
  const amountMinor = input.amountMinor ?? refundable;
  if (amountMinor <= 0n || amountMinor > refundable) throw refundTooLarge(refundable, payment.currency);
  const amountNano = nanoOfRefund(payment, lot, amountMinor);
  if (amountNano > account.balanceNano) throw refundTooLarge(minorUnits(0n), payment.currency);

  const id = Bun.randomUUIDv7();
  await transaction.insert(paymentRefunds).values({
    id,
    paymentId: payment.id,
    kind: 'ordered',
    amountMinor,
    amountNano: nanoUsd(amountNano),
    reason: input.reason,
  });
  await recordAction(transaction, actor, {
    action: 'payment.refund',
    subject: `payment ${payment.id}`,
    accountId: payment.accountId,
    reason: input.reason,
    after: { refund: id, amount: amountText(amountMinor, payment.currency) },
  });
  return id;
}

/** The payment may have been booked after its account's lots were counted. */
async function findLot(transaction: Transaction, config: LotConfig, { id, accountId }: Payment): Promise<Lot> {
  const counted = await readLotOfPayment(transaction, id);
  if (counted !== undefined) return counted;
  const lot = (await countLots(transaction, accountId, config)).find(({ paymentId }) => paymentId === id);
  if (lot === undefined) throw new Error(`payment ${id} is booked and has no lot`);
  return lot;
}

export function refundTooLarge(refundable: MinorUnits, currency: string): GatewayError {
  return new GatewayError('refund_too_large', `At most ${formatMinorUnits(refundable)} ${currency} can be refunded.`, {
    param: 'amount',
  });
}

export function refundPending(): GatewayError {
  return new GatewayError('payment_state', 'A refund of the payment is in progress. Wait until it has ended.');
}
