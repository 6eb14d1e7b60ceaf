/** `gateway payment receipts`: receipts of what private customers used of their payments. */
import { offsetReceiptStatuses } from '../../../database/tables/offset-receipts.ts';
import { listOffsetReceipts } from '../../../payments/offset-receipts/list-receipts.ts';
import { command, UsageError } from '../../command.ts';
import { listOf } from '../../list.ts';
import { limitArgument, readLimit } from '../../list-arguments.ts';
import { withDatabase } from '../../with-database.ts';
import { accountArguments, findOptionalAccount } from '../accounts/name-account.ts';

export const paymentReceipts = command({
  description: 'List the monthly receipts that offset advances, newest first',
  args: {
    status: { type: 'string', description: `Only this state: ${offsetReceiptStatuses.join(', ')}` },
    ...accountArguments,
    ...limitArgument,
  },
  run: (args) => {
    const status = offsetReceiptStatuses.find((known) => known === args.status);
    if (args.status !== undefined && status === undefined) {
      throw new UsageError(`--status must be one of ${offsetReceiptStatuses.join(', ')}.`);
    }
    const limit = readLimit(args.limit);
    return withDatabase(async (database) => {
      const accountId = await findOptionalAccount(database, args);
      const receipts = await listOffsetReceipts(database.db, { status, accountId }, limit);
      const text = listOf(receipts, {
        none: 'No receipts.',
        columns: {
          PAYMENT: ({ paymentId }) => paymentId,
          ACCOUNT: (receipt) => receipt.accountId,
          MONTH: ({ month }) => month,
          AMOUNT: ({ amount }) => amount,
          STATUS: (receipt) => receipt.status,
          REFERENCE: ({ reference }) => reference,
          PROBLEM: ({ problem }) => problem,
        },
      });
      return { text, object: { receipts } };
    });
  },
});
