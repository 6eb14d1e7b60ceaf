/** `gateway user delete`: deletes a user with their account. */
import { counted } from '../../../../shared/counted.ts';
import { formatUsd, parseUsd } from '../../../../shared/money.ts';
import { deleteAccount } from '../../../accounts/deletion/delete-account.ts';
import { commandActor, readReason } from '../../../operations/audit/command-actor.ts';
import { command, UsageError } from '../../command.ts';
import { deliverNow } from '../../deliver-now.ts';
import { withDatabase } from '../../with-database.ts';
import { findNamedUser, userArguments } from './name-user.ts';

export const userDelete = command({
  description: 'Delete a user with their account and keys for good; the ledger stays',
  args: {
    ...userArguments,
    reason: { type: 'string', required: true, description: 'Why; kept in the audit log' },
    'forfeit-balance': { type: 'string', description: 'The balance in USD to forfeit, exactly' },
  },
  run: (args) => {
    const reason = readReason(args.reason);
    const forfeitNano = readAmount(args['forfeit-balance']);
    return withDatabase(async (database) => {
      const { id, homeAccountId: accountId } = await findNamedUser(database.db, args);
      const input = { accountId, forfeitNano, language: undefined, reason, self: undefined };
      const { deletedAt, forfeitedNano, keysDeleted } = await deleteAccount(database.db, commandActor(), input);
      const inForce = await deliverNow(database, accountId);
      const forfeitedBalanceUsd = formatUsd(forfeitedNano);
      const given = forfeitedNano > 0n ? ` A balance of ${forfeitedBalanceUsd} USD was forfeited.` : '';
      return {
        text: `Deleted user ${id} with account ${accountId} and ${counted(keysDeleted, 'key')}.${given} ${inForce}`,
        object: { id, accountId, deletedAt: deletedAt.toISOString(), forfeitedBalanceUsd, keysDeleted },
      };
    });
  },
});

function readAmount(text: string | undefined) {
  if (text === undefined) return undefined;
  try {
    return parseUsd(text);
  } catch {
    throw new UsageError('--forfeit-balance is an amount in USD with at most 9 decimals, such as 12.34.');
  }
}
