/** `gateway export`: an account's transactions as the CSV file that the API gives. */
import { parseTransactionFilter } from '../../api/transaction-schemas.ts';
import { writeTransactions } from '../../api/transactions-file.ts';
import { command } from '../command.ts';
import { accountArguments, findNamedAccount } from '../name-account.ts';
import { readTransactionFilter, transactionArguments } from '../transaction-options.ts';
import { withDatabase } from '../with-database.ts';
import { writeFile } from '../write-file.ts';

export const exportCommand = command({
  description: "Write an account's transactions into a CSV file",
  args: {
    file: { type: 'positional', required: true, description: 'Where to write it' },
    ...accountArguments,
    ...transactionArguments,
  },
  run: ({ file, account, email, ...options }) => {
    const filter = readTransactionFilter(options);
    return withDatabase(async (database) => {
      const accountId = await findNamedAccount(database, { account, email });
      await writeFile(file, writeTransactions(database.db, parseTransactionFilter(accountId, filter)));
      return { text: `Wrote ${file}.`, object: { file } };
    });
  },
});
