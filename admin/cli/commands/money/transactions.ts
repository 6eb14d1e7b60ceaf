/** `gateway transactions`: what changed an account's balance, newest first. */
import { parseTransactionFilter, renderTransaction } from '../../../api/money/transactions-schemas.ts';
import { listTransactions } from '../../../ledger/queries/list-transactions.ts';
import { command } from '../../command.ts';
import { listOf } from '../../list.ts';
import { limitArgument, readLimit, readOffset } from '../../list-arguments.ts';
import { withDatabase } from '../../with-database.ts';
import { accountArguments, findNamedAccount } from '../accounts/name-account.ts';
import { readTransactionFilter, transactionArguments, transactionColumns } from './transaction-options.ts';

export const transactions = command({
  description: "Show what changed an account's balance, newest first",
  args: {
    ...accountArguments,
    ...transactionArguments,
    ...limitArgument,
    offset: { type: 'string', description: 'How many of the newest transactions to skip' },
  },
  run: ({ account, email, limit, offset, ...options }) => {
    const filter = readTransactionFilter(options);
    const page = { limit: readLimit(limit), offset: readOffset(offset) };
    return withDatabase(async (database) => {
      const accountId = await findNamedAccount(database, { account, email });
      const found = await listTransactions(database, parseTransactionFilter(accountId, filter), page);
      const transactions = found.map(renderTransaction);
      const text = listOf(transactions, { none: 'No transaction matches.', columns: transactionColumns });
      return { text, object: { transactions } };
    });
  },
});
