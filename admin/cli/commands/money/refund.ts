/** `gateway refund`: gives a customer money back, which raises the customer's balance. */
import { command } from '../../command.ts';
import { moneyArguments, postMoney } from './post-money.ts';

export const refund = command({
  description: 'Refund a customer',
  args: moneyArguments,
  run: ({ email, usd, reason, 'idempotency-key': idempotencyKey }) =>
    postMoney({ type: 'refund', email, usd, reason, idempotencyKey }),
});
