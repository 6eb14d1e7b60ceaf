/** `gateway refund`: gives a customer money back, which raises his balance. */
import { command } from '../../command.ts';
import { moneyArguments, postMoney } from './post-money.ts';

export const refund = command({
  description: 'Give a customer money back',
  args: moneyArguments,
  run: ({ email, usd, reason, 'idempotency-key': idempotencyKey }) =>
    postMoney({ type: 'refund', email, usd, reason, idempotencyKey }),
});
