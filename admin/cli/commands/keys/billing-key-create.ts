/** `gateway billing-key create`: creates a billing key, which manages proxy keys. */
import { command } from '../../command.ts';
import { expiryArgument, readKeyFields } from './key-options.ts';
import { makeKey, newKeyArguments } from './make-key.ts';

export const billingKeyCreate = command({
  description: 'Create a billing key, which manages proxy keys',
  args: { ...newKeyArguments, ...expiryArgument },
  run: ({ email, ...options }) => makeKey({ kind: 'billing', email, fields: readKeyFields(options) }),
});
