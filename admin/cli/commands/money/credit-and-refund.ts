/**
 * `gateway credit` books a payment, and `gateway refund` gives a customer money back. Both raise the customer's
 * balance.
 */
import { GatewayError } from '../../../../shared/errors.ts';
import { formatUsd, type NanoUsd, parseUsd } from '../../../../shared/money.ts';
import { bookCredit } from '../../../accounts/book-credit.ts';
import { commandActor, readReason } from '../../../operations/audit/command-actor.ts';
import { command, type Outcome } from '../../command.ts';
import { deliverNow } from '../../deliver-now.ts';
import { withDatabase } from '../../with-database.ts';
import { accountArguments, findNamedAccount, type NamedAccount } from '../accounts/name-account.ts';

const moneyArguments = {
  ...accountArguments,
  usd: { type: 'string', required: true, description: 'Amount in USD, such as 10 or 0.25' },
  reason: { type: 'string', required: true, description: 'The reason, which the customer sees' },
  'idempotency-key': {
    type: 'string',
    required: true,
    description: 'Repeating the command with the same key books nothing',
  },
} as const;

interface MoneyInput extends NamedAccount {
  readonly type: 'payment' | 'refund';
  readonly usd: string;
  readonly reason: string;
  readonly idempotencyKey: string;
}

function postMoney(input: MoneyInput): Promise<Outcome> {
  const { type, account, email, idempotencyKey } = input;
  const amountNano = readAmount(input.usd);
  const reason = readReason(input.reason);
  return withDatabase(async (database) => {
    const accountId = await findNamedAccount(database, { account, email });
    const input = { accountId, type, amountNano, reason, idempotencyKey };
    const receipt = await bookCredit(database.db, commandActor(), input);
    const delivery = await deliverNow(database, accountId);
    const balance = formatUsd(receipt.balanceAfterNano);
    const done = receipt.repeated ? 'Already booked' : `Booked a ${type} of $${formatUsd(amountNano)}`;
    return {
      text: `${done}: transaction ${receipt.transactionId}. The balance of ${email ?? `account ${accountId}`} is $${balance}. ${delivery}`,
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

export const credit = command({
  description: "Book a customer's payment",
  args: moneyArguments,
  run: ({ account, email, usd, reason, 'idempotency-key': idempotencyKey }) =>
    postMoney({ type: 'payment', account, email, usd, reason, idempotencyKey }),
});

export const refund = command({
  description: 'Refund a customer',
  args: moneyArguments,
  run: ({ account, email, usd, reason, 'idempotency-key': idempotencyKey }) =>
    postMoney({ type: 'refund', account, email, usd, reason, idempotencyKey }),
});
