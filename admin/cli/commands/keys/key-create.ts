/** `gateway key create`: creates a proxy key, which pays for inference. */
import { command } from '../../command.ts';
import { expiryArgument, limitArguments, readKeyFields } from './key-options.ts';
import { makeKey, newKeyArguments } from './make-key.ts';

export const keyCreate = command({
  description: 'Create a proxy key, which pays for inference',
  args: { ...newKeyArguments, ...expiryArgument, ...limitArguments },
  run: ({ email, ...options }) => makeKey({ kind: 'proxy', email, fields: readKeyFields(options) }),
});
