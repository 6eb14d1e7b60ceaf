/** Books a payment or a refund on behalf of an operator, and audits it. */
import { formatUsd, type NanoUsd, nanoUsd } from '../../shared/money.ts';
import type { Db, Transaction } from '../database/connect.ts';
import { lockAccount } from '../database/rows/lock-account.ts';
import { type CreditInput, postCredit } from '../ledger/post-credit.ts';
import { type Actor, recordAction } from '../operations/audit/record-action.ts';

export interface BookedCredit {
  readonly transactionId: number;
  readonly balanceBeforeNano: NanoUsd;
  readonly balanceAfterNano: NanoUsd;
  /** The credit had been booked before, so nothing was booked now: both balances are the present one. */
  readonly repeated: boolean;
}

/** Throws GatewayError as `postCredit` does. */
export function bookCredit(db: Db | Transaction, actor: Actor, input: CreditInput): Promise<BookedCredit> {
  return db.transaction(async (transaction) => {
    const account = await lockAccount(transaction, input.accountId);
    const { transactionId, balanceNano, repeated } = await postCredit(transaction, input);
    if (!repeated) await record(transaction, actor, { input, balanceNano, transactionId });
    return {
      transactionId,
      balanceBeforeNano: repeated ? balanceNano : nanoUsd(account.balanceNano),
      balanceAfterNano: balanceNano,
      repeated,
    };
  });
}

function record(
  transaction: Transaction,
  actor: Actor,
  { input, balanceNano, transactionId }: { input: CreditInput; balanceNano: NanoUsd; transactionId: number },
): Promise<void> {
  const { accountId, amountNano, reason, type } = input;
  return recordAction(transaction, actor, {
    action: type === 'payment' ? 'payment.book' : 'refund.book',
    subject: `transaction ${transactionId}`,
    accountId,
    reason,
    before: { balance: formatUsd(nanoUsd(balanceNano - amountNano)) },
    after: { balance: formatUsd(balanceNano), amount: formatUsd(amountNano) },
  });
}
