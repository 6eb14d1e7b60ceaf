/**
 * Notes that a charge has put balances below what their customers chose. Runs inside the transaction of that charge, after
 * the accounts were locked, beside the decision about low-balance alerts; the worker does the rest.
 */
import type { TransactionSql } from 'postgres';
import { arrayLiteral } from '../../database/array-literal.ts';

export async function markDueTopUps(
  transaction: TransactionSql,
  accountIds: readonly number[],
  at: Date,
): Promise<void> {
  await transaction`
    UPDATE auto_top_ups SET due_at = ${at} FROM accounts
    WHERE auto_top_ups.account_id = ANY(${arrayLiteral(accountIds)}::bigint[]) AND accounts.id = auto_top_ups.account_id
      AND state = 'on' AND card_id IS NOT NULL AND due_at IS NULL AND accounts.balance_nano < threshold_nano`;
}
