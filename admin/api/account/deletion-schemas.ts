/** What deleting an account takes and answers. */
import { Type } from '@sinclair/typebox';
import { formatUsd } from '../../../shared/money.ts';
import type { DeletedAccount } from '../../account-deletion/delete-account.ts';
import { reason } from '../operator-schemas.ts';
import { closedObject } from '../schemas.ts';
import { type UsdAmount, usdAmount } from '../usd-amount.ts';

const passwordMaxLength = 256;

const forfeitBalanceUsd = Type.Optional(
  Type.Unsafe<UsdAmount>({
    ...usdAmount,
    description:
      'The balance that is given up with the account, exactly as `details.balanceUsd` of the refusal says it. Needed only ' +
      'where there is a balance.',
    expected: usdAmount.description,
  }),
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
  reason: Type.Unsafe<string>({ ...reason, description: 'Why; kept in the audit log.', expected: reason.description }),
  forfeitBalanceUsd,
});

export const deletedSchema = Type.Object({
  accountId: Type.Integer({ description: 'The account. Its ledger goes on to carry this number.' }),
  deletedAt: Type.String({ format: 'date-time', description: 'When it was deleted.' }),
  forfeitedBalanceUsd: Type.String({ description: 'The balance that was given up, as an exact decimal.' }),
  keysDeleted: Type.Integer({ description: 'How many API keys of both kinds were deleted with it.' }),
  keysRefused: Type.Boolean({
    description:
      'Whether every replica refuses the proxy keys now. False where Redis cannot be reached: they are refused as soon as ' +
      'it can.',
  }),
});
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
