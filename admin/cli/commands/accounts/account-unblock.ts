/** `gateway account unblock`: lets a blocked account's keys and users in again. */
import { unblockAccount } from '../../../accounts/block-account.ts';
import { command } from '../../command.ts';
import { blockArguments, setBlocked } from './block-command.ts';

export const accountUnblock = command({
  description: 'Let the keys and users of an account in again',
  args: blockArguments,
  run: ({ reason, ...named }) => setBlocked(unblockAccount, named, reason),
});
