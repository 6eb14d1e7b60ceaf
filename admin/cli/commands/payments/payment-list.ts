/** `gateway payment list`: payments of all customers, or of one. */
import { renderOperatorPayment } from '../../../api/payments/payment-schemas.ts';
import { paymentStatuses } from '../../../database/tables/payments.ts';
import { listPayments, readDetails } from '../../../payments/list-payments.ts';
import { command, UsageError } from '../../command.ts';
import { listOf } from '../../list.ts';
import { limitArgument, readLimit } from '../../list-arguments.ts';
import { withDatabase } from '../../with-database.ts';
import { accountArguments, findOptionalAccount } from '../accounts/name-account.ts';

export const paymentList = command({
  description: 'List payments, newest first',
  args: {
    status: { type: 'string', description: `Only this state: ${paymentStatuses.join(', ')}` },
    ...accountArguments,
    ...limitArgument,
  },
  run: (args) => {
    const status = paymentStatuses.find((known) => known === args.status);
    if (args.status !== undefined && status === undefined) {
      throw new UsageError(`--status must be one of ${paymentStatuses.join(', ')}.`);
    }
    const limit = readLimit(args.limit);
    return withDatabase(async (database) => {
      const { db } = database;
      const accountId = await findOptionalAccount(database, args);
      const page = await listPayments(db, { accountId, status }, { limit });
      const detailsOf = await readDetails(
        db,
        page.payments.map(({ id }) => id),
      );
      const payments = page.payments.map((payment) => renderOperatorPayment(payment, detailsOf(payment.id)));
      const text = listOf(payments, {
        none: 'No payments.',
        columns: {
          PAYMENT: ({ id }) => id,
          ACCOUNT: ({ accountId }) => accountId,
          METHOD: ({ method }) => method,
          STATUS: ({ status }) => status,
          AMOUNT: ({ amount, currency }) => `${amount} ${currency}`,
          USD: ({ creditUsd }) => creditUsd,
          REFUNDED: ({ refundedAmount }) => refundedAmount,
          CREATED: ({ createdAt }) => createdAt,
          PROBLEM: ({ problem }) => problem,
        },
      });
      return { text, object: { payments } };
    });
  },
});
