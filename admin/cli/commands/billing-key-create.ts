/** `gateway billing-key create`: makes a billing key, which manages proxy keys. */
import { command } from '../command.ts';
import { keyArguments, makeKey } from '../make-key.ts';

export const billingKeyCreate = command({
  description: 'Make a billing key, which manages proxy keys',
  args: keyArguments,
  run: ({ email, name, 'expires-at': expiresAt }) => makeKey({ kind: 'billing', email, name, expiresAt }),
});
