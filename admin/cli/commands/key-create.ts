/** `gateway key create`: makes a proxy key, which pays for inference. */
import { command } from '../command.ts';
import { keyArguments, makeKey } from '../make-key.ts';

export const keyCreate = command({
  description: 'Make a proxy key, which pays for inference',
  args: keyArguments,
  run: ({ email, name, 'expires-at': expiresAt }) => makeKey({ kind: 'proxy', email, name, expiresAt }),
});
