/** `gateway key update`, `key activate` and `key deactivate`: change a proxy or billing key, of any account. */
import { command, UsageError } from '../../command.ts';
import {
  addressArgument,
  cacheArgument,
  expiryArgument,
  keyIdArgument,
  limitArguments,
  policyArguments,
  projectArgument,
  readKeyFields,
  readKeyId,
} from './key-options.ts';
import { updateKey } from './update-key.ts';

export const keyUpdate = command({
  description: 'Change the name, the expiry, the project or the limits of a key; omitted options stay as they are',
  args: {
    ...keyIdArgument,
    name: { type: 'string', description: 'What the key is for' },
    ...expiryArgument,
    ...projectArgument,
    ...addressArgument,
    ...policyArguments,
    ...cacheArgument,
    ...limitArguments,
  },
  run: ({ id: text, ...options }) => {
    const id = readKeyId(text);
    const fields = readKeyFields(options);
    if (Object.keys(fields).length === 0) throw new UsageError('Give an option to change, such as --spend-month.');
    return updateKey(id, fields);
  },
});

export const keyActivate = command({
  description: 'Activate a deactivated key',
  args: keyIdArgument,
  run: ({ id }) => updateKey(readKeyId(id), { active: true }),
});

export const keyDeactivate = command({
  description: 'Deactivate a key until it is activated again',
  args: keyIdArgument,
  run: ({ id }) => updateKey(readKeyId(id), { active: false }),
});
