/** Shared by `credit` and `refund`: money for a customer, with a reason, booked once however often it is repeated. */
import { GatewayError } from '../../../../shared/errors.ts';
import { formatUsd, type NanoUsd, parseUsd } from '../../../../shared/money.ts';
import { bookCredit } from '../../../accounts/book-credit.ts';
import { commandActor } from '../../../operations/audit/command-actor.ts';
import type { Outcome } from '../../command.ts';
import { deliverNow } from '../../deliver-now.ts';
import { readReason } from '../../read-reason.ts';
import { withDatabase } from '../../with-database.ts';
import { requireAccount } from '../accounts/require-account.ts';

export const moneyArguments = {
  email: { type: 'string', required: true, description: "The customer's e-mail address" },
  usd: { type: 'string', required: true, description: 'Amount in USD, such as 10 or 0.25' },
  reason: { type: 'string', required: true, description: 'The reason, which the customer sees' },
  'idempotency-key': {
    type: 'string',
    required: true,
    description: 'Repeating the command with the same key books nothing',
  },
} as const;

interface MoneyOrder {
  readonly type: 'payment' | 'refund';
  readonly email: string;
  readonly usd: string;
  readonly reason: string;
  readonly idempotencyKey: string;
}

export function postMoney(order: MoneyOrder): Promise<Outcome> {
  const { type, email, idempotencyKey } = order;
  const amountNano = readAmount(order.usd);
  const reason = readReason(order.reason);
  return withDatabase(async (database) => {
    const { accountId } = await requireAccount(database, email);
    const order = { accountId, type, amountNano, reason, idempotencyKey };
    const receipt = await bookCredit(database.db, commandActor(), order);
    const delivery = await deliverNow(database, accountId);
    const balance = formatUsd(receipt.balanceAfterNano);
    const done = receipt.repeated ? 'Already booked' : `Booked a ${type} of $${formatUsd(amountNano)}`;
    return {
      text: `${done}: transaction ${receipt.transactionId}. The balance of ${email} is $${balance}. ${delivery}`,
      object: { transactionId: receipt.transactionId, balance },
    };
  });
}

function readAmount(usd: string): NanoUsd {
  try {
    return parseUsd(usd);
  } catch (cause) {
    throw new GatewayError('invalid_parameter', 'An amount must be a decimal number of USD with at most 9 decimals.', {
      param: 'usd',
      cause,
    });
  }
}
