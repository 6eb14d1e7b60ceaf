/** Shared by `account block` and `account unblock`. */
import type { blockAccount } from '../../../accounts/block-account.ts';
import { commandActor } from '../../../operations/audit/command-actor.ts';
import type { Outcome } from '../../command.ts';
import { deliverNow } from '../../deliver-now.ts';
import { readReason } from '../../read-reason.ts';
import { withDatabase } from '../../with-database.ts';
import { accountArguments, findNamedAccount, type NamedAccount } from './name-account.ts';
import { showAccount } from './show-account.ts';

export const blockArguments = {
  ...accountArguments,
  reason: { type: 'string', required: true, description: 'The reason, for the audit log' },
} as const;

export function setBlocked(change: typeof blockAccount, named: NamedAccount, reason: string): Promise<Outcome> {
  const why = readReason(reason);
  return withDatabase(async (database) => {
    const accountId = await findNamedAccount(database, named);
    await change(database.db, commandActor(), { accountId, reason: why });
    return showAccount(database, accountId, await deliverNow(database, accountId));
  });
}
