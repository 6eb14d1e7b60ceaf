/** `gateway export`: an account's transactions, as the same CSV file that the API returns. */
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { writeTransactions } from '../../../api/money/transactions-file.ts';
import { parseTransactionFilter } from '../../../api/money/transactions-schemas.ts';
import { command } from '../../command.ts';
import { DetailedError } from '../../describe-failure.ts';
import { withDatabase } from '../../with-database.ts';
import { accountArguments, findNamedAccount } from '../accounts/name-account.ts';
import { readTransactionFilter, transactionArguments } from './transaction-options.ts';

/** A customer's transactions are private: only the owner of the file may read it. */
const ownerOnly = 0o600;

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
      await write(file, writeTransactions(database.db, parseTransactionFilter(accountId, filter)));
      return { text: `Wrote ${file}.`, object: { file } };
    });
  },
});

/** Throws DetailedError `file_unwritable`. */
async function write(path: string, pieces: AsyncIterable<string>): Promise<void> {
  const stream = createWriteStream(path, { mode: ownerOnly });
  const opened = Promise.withResolvers<void>();
  stream.once('open', () => opened.resolve());
  stream.once('error', (error) => {
    opened.reject(
      new DetailedError('file_unwritable', `${path} cannot be written: ${error.message}`, { param: 'file' }),
    );
  });
  await opened.promise;
  await pipeline(pieces, stream);
}
