/** `gateway account block`: blocks an account's keys and users until it is unblocked. */
import { blockAccount } from '../../../accounts/block-account.ts';
import { command } from '../../command.ts';
import { blockArguments, setBlocked } from './block-command.ts';

export const accountBlock = command({
  description: "Block an account's keys and users",
  args: blockArguments,
  run: ({ reason, ...named }) => setBlocked(blockAccount, named, reason),
});
