/** The request and the response of deleting an account. */
import { Type } from '@sinclair/typebox';
import { formatUsd } from '../../../shared/money.ts';
import type { DeletedAccount } from '../../accounts/deletion/delete-account.ts';
import { customer } from '../fields/example-values.ts';
import { closedObject, flag, integer, text, timestamp } from '../fields/schemas.ts';
import { usdAmount } from '../fields/usd-amount.ts';
import { reason } from '../operator/operator-schemas.ts';

const passwordMaxLength = 256;
const forfeitedExample = '12.34';

const forfeitBalanceUsd = Type.Optional(
  usdAmount(
    'The balance that is forfeited with the account, exactly as in `details.balanceUsd` of the error. Needed only if ' +
      'there is a balance.',
    forfeitedExample,
  ),
);

export const deletionBody = closedObject({
  current_password: Type.String({
    maxLength: passwordMaxLength,
    description: 'The password of the user. Wrong ones count as failed log-ins.',
    expected: 'the current password',
    example: customer.password,
  }),
  forfeitBalanceUsd,
});

export const operatorDeletionBody = closedObject({
  reason: reason('Why; kept in the audit log.', 'Asked for by mail, ticket 4711'),
  forfeitBalanceUsd,
});

export const deletedSchema = Type.Object(
  {
    accountId: integer('The id of the account. Its ledger entries keep this id.', customer.accountId),
    deletedAt: timestamp('When it was deleted.'),
    forfeitedBalanceUsd: text('The forfeited balance, as an exact decimal string.', forfeitedExample),
    keysDeleted: integer('How many API keys of both kinds were deleted with it.', 3),
    keysRefused: flag(
      'Whether every replica refuses the proxy keys now. False if Redis could not be reached: they are refused as soon as ' +
        'it can.',
      true,
    ),
  },
  { title: 'DeletedAccount' },
);
export type Deleted = typeof deletedSchema.static;

export function renderDeleted(
  { accountId, deletedAt, forfeitedNano, keysDeleted }: DeletedAccount,
  keysRefused: boolean,
): Deleted {
  return {
    accountId,
    deletedAt: deletedAt.toISOString(),
    forfeitedBalanceUsd: formatUsd(forfeitedNano),
    keysDeleted,
    keysRefused,
  };
}
