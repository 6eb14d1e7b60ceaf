/** `gateway credit`: books a payment, which raises the customer's balance. */
import { command } from '../../command.ts';
import { moneyArguments, postMoney } from './post-money.ts';

export const credit = command({
  description: "Book a customer's payment",
  args: moneyArguments,
  run: ({ email, usd, reason, 'idempotency-key': idempotencyKey }) =>
    postMoney({ type: 'payment', email, usd, reason, idempotencyKey }),
});
