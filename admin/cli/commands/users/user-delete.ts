/** `gateway user delete`: deletes a user with their account. */
import { counted } from '../../../../shared/counted.ts';
import { formatUsd, parseUsd } from '../../../../shared/money.ts';
import { deleteAccount } from '../../../accounts/deletion/delete-account.ts';
import type { User } from '../../../auth/create-user.ts';
import type { Db } from '../../../database/connect.ts';
import { commandActor, readReason } from '../../../operations/audit/command-actor.ts';
import { listMembers } from '../../../organizations/members.ts';
import { command, UsageError } from '../../command.ts';
import { deliverNow } from '../../deliver-now.ts';
import { withDatabase } from '../../with-database.ts';
import { readId } from '../accounts/name-account.ts';
import { findNamedUser, userArguments } from './name-user.ts';

export const userDelete = command({
  description: 'Delete a user with their account and keys for good; the ledger stays',
  args: {
    ...userArguments,
    reason: { type: 'string', required: true, description: 'Why; kept in the audit log' },
    'forfeit-balance': { type: 'string', description: 'The balance in USD to forfeit, exactly' },
    account: {
      type: 'string',
      description: 'Their account, if others belong to it too: it is deleted for all of them',
    },
  },
  run: (args) => {
    const reason = readReason(args.reason);
    const forfeitNano = readAmount(args['forfeit-balance']);
    return withDatabase(async (database) => {
      const user = await findNamedUser(database.db, args);
      await refuseShared(database.db, user, args.account);
      const { id, homeAccountId: accountId } = user;
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

/** An account that others belong to is not deleted by the name of one of them. Throws UsageError. */
async function refuseShared(db: Db, { id, homeAccountId }: User, account: string | undefined): Promise<void> {
  if (account !== undefined && readId(account, '--account') === homeAccountId) return;
  const others = (await listMembers(db, homeAccountId)).filter((member) => member.id !== id);
  if (others.length === 0 && account === undefined) return;
  if (others.length === 0) throw new UsageError(`The account of this user is ${homeAccountId}.`);
  const emails = others.map(({ email }) => email).join(', ');
  throw new UsageError(
    `Account ${homeAccountId} also belongs to ${emails}. Take the user out of it first, with ` +
      `'member remove --account ${homeAccountId}', or delete it for all of them, with --account ${homeAccountId}.`,
  );
}

function readAmount(text: string | undefined) {
  if (text === undefined) return undefined;
  try {
    return parseUsd(text);
  } catch {
    throw new UsageError('--forfeit-balance is an amount in USD with at most 9 decimals, such as 12.34.');
  }
}
