/**
 * Books a payment that has been paid: the journal, whose idempotency key is the payment's id, the payment's new state and
 * the mail in one transaction. It is booked once, however often it is reported. The time of the next question to the
 * provider stays: a refund may have been announced in the meantime, or this admin may end before it has booked one.
 */
import { formatUsd, type NanoUsd, nanoUsd, walletLimitNano } from '../../shared/money.ts';
import type { ExchangeRate } from '../catalogue/exchange-rate/exchange-rate.ts';
import { rateOfDay } from '../catalogue/exchange-rate/rate-of-day.ts';
import { moscowDay } from '../catalogue/exchange-rate/rate-schedule.ts';
import type { Transaction } from '../database/connect.ts';
import { amountText, changePayment, isBooked, lockPayment, type Payment } from '../database/rows/payment.ts';
import { postCredit } from '../ledger/post-credit.ts';
import { formatMinorUnits, minorUnits, partsPerMillion } from '../money/payment-money.ts';
import { writeEvent } from '../operations/webhook-events/write-event.ts';
import { deliverOutbox } from '../wallets/deliver-outbox.ts';
import { convertAmount } from './creation/convert-amount.ts';
import { queuePaymentMail } from './payment-mails.ts';
import type { BookingServices, PaymentServices } from './payment-services.ts';

export interface Booking {
  readonly paymentId: string;
  readonly paidAt: Date;
  /** Of the day the money came. */
  readonly rate: ExchangeRate;
  /** The name of the method, for the transaction's description. */
  readonly title: string;
  /** Of the bank's or the provider's own records; null if it is known already. */
  readonly reference: string | null;
  /** What makes the reference unique, where it alone is not. */
  readonly referenceScope?: string | undefined;
}

export type BookingResult =
  | { readonly outcome: 'booked'; readonly balanceNano: NanoUsd }
  | { readonly outcome: 'booked_before' }
  /** An operator has to decide. */
  | { readonly outcome: 'review'; readonly problem: string };

/** Throws if the rate of a past day is not known yet. */
export function rateOfPayment({ config, database, now }: BookingServices, paidAt: Date): Promise<ExchangeRate> {
  return rateOfDay(database.sql, config, { day: moscowDay(paidAt), now: now() });
}

export async function bookPayment(transaction: Transaction, booking: Booking): Promise<BookingResult> {
  const { payment, account } = await lockPayment(transaction, booking.paymentId);
  if (isBooked(payment)) return { outcome: 'booked_before' };
  const converted = convertAmount(payment, booking.rate, partsPerMillion(payment.marginPpm));
  const problem = findProblem(account, converted.creditNano);
  if (problem !== undefined) {
    await changePayment(transaction, payment, { status: 'review', problem });
    return { outcome: 'review', problem };
  }
  const { transactionId, balanceNano } = await postCredit(transaction, {
    accountId: payment.accountId,
    type: 'payment',
    amountNano: converted.creditNano,
    reason: `Top-up ${amountText(payment.amountMinor, payment.currency)} (${booking.title})`,
    idempotencyKey: payment.id,
  });
  await changePayment(transaction, payment, {
    ...converted,
    status: 'succeeded',
    rubPerUsd: booking.rate.rubPerUsd,
    rateDate: booking.rate.date,
    paidAt: booking.paidAt,
    transactionId,
    problem: null,
    ...(booking.reference !== null && {
      providerReference: booking.reference,
      referenceScope: booking.referenceScope ?? '',
    }),
  });
  await queuePaymentMail(transaction, payment, {
    kind: 'payment_received',
    data: { ...amountsOf(payment), creditNano: String(converted.creditNano), balanceNano: String(balanceNano) },
  });
  await writeEvent(transaction, payment.accountId, {
    type: 'payment.succeeded',
    data: {
      paymentId: payment.id,
      ...reportedAmount(payment),
      creditUsd: formatUsd(converted.creditNano),
      balanceUsd: formatUsd(balanceNano),
    },
  });
  return { outcome: 'booked', balanceNano };
}

/** The money is booked. If Redis is away, the outbox worker delivers it as soon as Redis is back. */
export async function deliverCredit(
  { database, keeper, log }: Pick<PaymentServices, 'database' | 'keeper' | 'log'>,
  accountId: number,
): Promise<void> {
  try {
    await deliverOutbox({ sql: database.sql, keeper }, accountId);
  } catch (error) {
    log.warn({ err: error, accountId }, 'a payment is not in Redis yet; the outbox worker will deliver it');
  }
}

export function amountsOf({ amountMinor, currency }: Pick<Payment, 'amountMinor' | 'currency'>) {
  return { amountMinor: String(amountMinor), currency };
}

/** As webhooks report it. */
export function reportedAmount({ amountMinor, currency }: Pick<Payment, 'amountMinor' | 'currency'>) {
  return { amount: formatMinorUnits(minorUnits(amountMinor)), currency };
}

function findProblem(account: { balanceNano: bigint; deletedAt: Date | null }, creditNano: bigint): string | undefined {
  if (account.deletedAt !== null) return 'the account was deleted';
  if (creditNano <= 0n) return 'the amount is worth nothing at this rate';
  if (account.balanceNano + creditNano > walletLimitNano) {
    return `the balance would exceed ${formatUsd(nanoUsd(walletLimitNano))} USD`;
  }
  return undefined;
}
