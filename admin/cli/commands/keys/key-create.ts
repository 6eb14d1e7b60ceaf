/**
 * `gateway key create` creates a proxy key, which pays for inference; `gateway billing-key create` creates a billing
 * key, which manages proxy keys.
 */
import { pepperInUse } from '../../../../shared/config/key-peppers.ts';
import type { KeyKind } from '../../../../shared/keys/api-key.ts';
import { checkNewKey, parseNewKey } from '../../../api/keys/key-bodies.ts';
import { loadCommandConfig } from '../../../config/admin.ts';
import { createKey } from '../../../keys/create-key.ts';
import { recordCreatedKey } from '../../../keys/record-key-action.ts';
import { commandActor } from '../../../operations/audit/command-actor.ts';
import { command, type Outcome } from '../../command.ts';
import { deliverKey } from '../../deliver-now.ts';
import { withDatabase } from '../../with-database.ts';
import { accountArguments, findNamedAccount, type NamedAccount } from '../accounts/name-account.ts';
import {
  addressArgument,
  cacheArgument,
  expiryArgument,
  limitArguments,
  policyArguments,
  projectArgument,
  readKeyFields,
} from './key-options.ts';

const newKeyArguments = {
  ...accountArguments,
  name: { type: 'string', required: true, description: 'What the key is for' },
} as const;

interface KeyInput {
  readonly kind: KeyKind;
  readonly owner: NamedAccount;
  /** Those of the API. */
  readonly fields: Readonly<Record<string, unknown>>;
}

function makeKey({ kind, owner, fields }: KeyInput): Promise<Outcome> {
  const pepper = pepperInUse(loadCommandConfig(['keyPeppers']));
  const checked = checkNewKey(kind, fields);
  return withDatabase(async (database) => {
    const accountId = await findNamedAccount(database, owner);
    const created = await database.db.transaction(async (transaction) => {
      const input = await parseNewKey(transaction, checked);
      const made = await createKey(transaction, pepper, { accountId, kind, ...input });
      await recordCreatedKey(transaction, commandActor(), { accountId, kind, fields: input, made });
      return made;
    });
    const delivery = await deliverKey(database, { accountId, kind });
    return {
      text: `Key ${created.id} of ${owner.email ?? `account ${accountId}`}. It is shown only once:\n\n  ${created.key}\n\n${delivery}`,
      object: { ...created },
    };
  });
}

export const keyCreate = command({
  description: 'Create a proxy key, which pays for inference',
  args: {
    ...newKeyArguments,
    ...expiryArgument,
    ...projectArgument,
    ...addressArgument,
    ...policyArguments,
    ...cacheArgument,
    ...limitArguments,
  },
  run: ({ account, email, ...options }) =>
    makeKey({ kind: 'proxy', owner: { account, email }, fields: readKeyFields(options) }),
});

export const billingKeyCreate = command({
  description: 'Create a billing key, which manages proxy keys',
  args: { ...newKeyArguments, ...expiryArgument },
  run: ({ account, email, ...options }) =>
    makeKey({ kind: 'billing', owner: { account, email }, fields: readKeyFields(options) }),
});
