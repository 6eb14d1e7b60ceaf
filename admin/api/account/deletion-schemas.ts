/** The request and the response of deleting an account. */
import { Type } from '@sinclair/typebox';
import { formatUsd } from '../../../shared/money.ts';
import type { DeletedAccount } from '../../accounts/deletion/delete-account.ts';
import { closedObject } from '../fields/schemas.ts';
import { usdAmount } from '../fields/usd-amount.ts';
import { reason } from '../operator/operator-schemas.ts';

const passwordMaxLength = 256;

const forfeitBalanceUsd = Type.Optional(
  usdAmount(
    'The balance that is forfeited with the account, exactly as in `details.balanceUsd` of the error. Needed only if ' +
      'there is a balance.',
  ),
);

export const deletionBody = closedObject({
  current_password: Type.String({
    maxLength: passwordMaxLength,
    description: 'The password of the user. Wrong ones count as failed log-ins.',
    expected: 'the current password',
  }),
  forfeitBalanceUsd,
});

export const operatorDeletionBody = closedObject({
  reason: reason('Why; kept in the audit log.'),
  forfeitBalanceUsd,
});

export const deletedSchema = Type.Object(
  {
    accountId: Type.Integer({ description: 'The id of the account. Its ledger entries keep this id.' }),
    deletedAt: Type.String({ format: 'date-time', description: 'When it was deleted.' }),
    forfeitedBalanceUsd: Type.String({ description: 'The forfeited balance, as an exact decimal string.' }),
    keysDeleted: Type.Integer({ description: 'How many API keys of both kinds were deleted with it.' }),
    keysRefused: Type.Boolean({
      description:
        'Whether every replica refuses the proxy keys now. False if Redis could not be reached: they are refused as soon as ' +
        'it can.',
    }),
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

export const deletedExample: Deleted = {
  accountId: 17,
  deletedAt: '2030-01-01T12:00:00.000Z',
  forfeitedBalanceUsd: '12.34',
  keysDeleted: 3,
  keysRefused: true,
};
