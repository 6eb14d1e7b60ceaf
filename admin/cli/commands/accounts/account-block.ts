/** `gateway account block` blocks an account's keys and users; `gateway account unblock` restores their access. */
import { blockAccount, unblockAccount } from '../../../accounts/block-account.ts';
import { commandActor, readReason } from '../../../operations/audit/command-actor.ts';
import { command, type Outcome } from '../../command.ts';
import { deliverNow } from '../../deliver-now.ts';
import { withDatabase } from '../../with-database.ts';
import { showAccount } from './account-show.ts';
import { accountArguments, findNamedAccount, type NamedAccount } from './name-account.ts';

const blockArguments = {
  ...accountArguments,
  reason: { type: 'string', required: true, description: 'The reason, for the audit log' },
} as const;

function setBlocked(change: typeof blockAccount, named: NamedAccount, reason: string): Promise<Outcome> {
  const why = readReason(reason);
  return withDatabase(async (database) => {
    const accountId = await findNamedAccount(database, named);
    await change(database.db, commandActor(), { accountId, reason: why });
    return showAccount(database, accountId, await deliverNow(database, accountId));
  });
}

export const accountBlock = command({
  description: "Block an account's keys and users",
  args: blockArguments,
  run: ({ reason, ...named }) => setBlocked(blockAccount, named, reason),
});

export const accountUnblock = command({
  description: "Unblock an account's keys and users",
  args: blockArguments,
  run: ({ reason, ...named }) => setBlocked(unblockAccount, named, reason),
});
