/** `gateway export`: an account's transactions, as the same CSV file that the API returns. */
import { writeTransactions } from '../../../api/money/transactions-file.ts';
import { parseTransactionFilter } from '../../../api/money/transactions-schemas.ts';
import { command } from '../../command.ts';
import { withDatabase } from '../../with-database.ts';
import { writeFile } from '../../write-file.ts';
import { accountArguments, findNamedAccount } from '../accounts/name-account.ts';
import { readTransactionFilter, transactionArguments } from './transaction-options.ts';

export const exportCommand = command({
  description: "Write an account's transactions to a CSV file",
  args: {
    file: { type: 'positional', required: true, description: 'Where to write it' },
    ...accountArguments,
    ...transactionArguments,
  },
  run: ({ file, account, email, ...options }) => {
    const filter = readTransactionFilter(options);
    return withDatabase(async (database) => {
      const accountId = await findNamedAccount(database, { account, email });
      await writeFile(file, writeTransactions(database, parseTransactionFilter(accountId, filter)));
      return { text: `Wrote ${file}.`, object: { file } };
    });
  },
});
