/** `gateway payment confirm`, `cancel`, `refund` and `settle-refund`. */
import { GatewayError } from '../../../../shared/errors.ts';
import { formatUsd, nanoUsd } from '../../../../shared/money.ts';
import { loadCommandConfig } from '../../../config/admin.ts';
import { findPayment } from '../../../database/rows/payment.ts';
import { refundSettlements } from '../../../database/tables/payments.ts';
import { type MinorUnits, parseMinorUnits } from '../../../money/payment-money.ts';
import { commandActor, readReason } from '../../../operations/audit/command-actor.ts';
import { rateOfPayment } from '../../../payments/book-payment.ts';
import { cancelPayment, confirmPayment, settleRefund } from '../../../payments/decide-payment.ts';
import { parsePaidAt } from '../../../payments/paid-at.ts';
import type { BookingServices } from '../../../payments/payment-services.ts';
import { createRefund, prepareRefund } from '../../../payments/refunds/create-refund.ts';
import { command, UsageError } from '../../command.ts';
import { deliverNow } from '../../deliver-now.ts';
import { withDatabase } from '../../with-database.ts';

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const payment = {
  id: { type: 'positional', required: true, description: "The payment's id, as `payment list` shows it" },
  reason: { type: 'string', required: true, description: 'Why, for the audit log' },
} as const;

export const paymentConfirm = command({
  description: 'Top up the balance for a payment whose money has arrived',
  args: {
    ...payment,
    'paid-at': { type: 'string', required: true, description: 'When the bank booked it, such as 2030-01-31' },
    reference: { type: 'string', required: true, description: "The bank's number of the transfer" },
  },
  run: ({ id: given, reason, reference, 'paid-at': paidAtText }) => {
    const id = readPaymentId(given);
    return withBooking(async (services) => {
      const { db } = services.database;
      const paidAt = readPaidAt(paidAtText, services.now());
      const { method } = await findPayment(db, id);
      const rate = await rateOfPayment(services, paidAt);
      const confirmation = { paymentId: id, paidAt, reference, reason: readReason(reason) };
      await db.transaction((transaction) =>
        confirmPayment(transaction, commandActor(), { confirmation, rate, title: method }),
      );
      const booked = await findPayment(db, id);
      const delivery = await deliverNow(services.database, booked.accountId);
      const usd = formatUsd(nanoUsd(booked.creditNano));
      return {
        text: `Booked payment ${id}: $${usd}. ${delivery}`,
        object: { id, status: booked.status, creditUsd: usd },
      };
    });
  },
});

export const paymentCancel = command({
  description: 'Cancel an order that will not be paid',
  args: payment,
  run: ({ id: given, reason }) => {
    const id = readPaymentId(given);
    return withDatabase(async ({ db }) => {
      const input = { paymentId: id, reason: readReason(reason) };
      await db.transaction((transaction) => cancelPayment(transaction, commandActor(), input));
      return { text: `Canceled payment ${id}.`, object: { id, status: 'canceled' } };
    });
  },
});

export const paymentRefund = command({
  description: 'Refund a payment the way it was paid',
  args: {
    ...payment,
    amount: { type: 'string', description: "How much, in the payment's currency; by default as much as possible" },
  },
  run: ({ id: given, reason, amount }) => {
    const id = readPaymentId(given);
    const amountMinor = amount === undefined ? undefined : readAmount(amount);
    return withBooking(async (services) => {
      const { db } = services.database;
      await prepareRefund(services, await findPayment(db, id));
      const input = { paymentId: id, amountMinor, reason: readReason(reason) };
      const refundId = await db.transaction((transaction) =>
        createRefund(transaction, services, { input, actor: commandActor() }),
      );
      return {
        text: `Ordered refund ${refundId}. The running admin asks the provider for it.`,
        object: { id, refundId, status: 'pending' },
      };
    });
  },
});

export const refundSettle = command({
  description: "Settle a refund in review by the outcome that the provider's records show",
  args: {
    ...payment,
    as: {
      type: 'string',
      required: true,
      description: '`returned` if the provider has returned the money, otherwise `refused`',
    },
  },
  run: ({ id: given, reason, as }) => {
    const id = readPaymentId(given);
    const settledAs = refundSettlements.find((candidate) => candidate === as);
    if (settledAs === undefined) throw new UsageError('--as must be returned or refused.');
    return withDatabase(async ({ db }) => {
      const input = { paymentId: id, settledAs, reason: readReason(reason) };
      await db.transaction((transaction) => settleRefund(transaction, commandActor(), input));
      return {
        text: `The running admin ends the refund of payment ${id} as ${settledAs}.`,
        object: { id, settledAs },
      };
    });
  },
});

function withBooking<Result>(work: (services: BookingServices) => Promise<Result>): Promise<Result> {
  const config = loadCommandConfig(['payments', 'rubPerUsd', 'cbrUrl']);
  return withDatabase((database) => work({ config, database, now: () => new Date() }));
}

function readPaymentId(text: string): string {
  if (!uuid.test(text)) throw new UsageError('The id of a payment is a UUID.');
  return text;
}

function readAmount(text: string): MinorUnits {
  try {
    return parseMinorUnits(text);
  } catch (cause) {
    throw new GatewayError('invalid_parameter', 'An amount must be a decimal number with at most 2 decimals.', {
      param: 'amount',
      cause,
    });
  }
}

function readPaidAt(text: string, now: Date): Date {
  try {
    return parsePaidAt(text, { param: '--paid-at', now });
  } catch (error) {
    throw error instanceof GatewayError ? new UsageError(error.message) : error;
  }
}
