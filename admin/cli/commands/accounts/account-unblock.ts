/** `gateway account unblock`: restores access for a blocked account's keys and users. */
import { unblockAccount } from '../../../accounts/block-account.ts';
import { command } from '../../command.ts';
import { blockArguments, setBlocked } from './block-command.ts';

export const accountUnblock = command({
  description: "Unblock an account's keys and users",
  args: blockArguments,
  run: ({ reason, ...named }) => setBlocked(unblockAccount, named, reason),
});
