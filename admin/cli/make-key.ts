/** What `key create` and `billing-key create` share. */
import { loadCommandConfig } from '../../shared/config/admin.ts';
import type { KeyKind } from '../../shared/keys/api-key.ts';
import { commandActor } from '../audit/command-actor.ts';
import { recordAction } from '../audit/record-action.ts';
import { createKey } from '../keys/create-key.ts';
import { parseKeyExpiry, parseKeyName } from '../keys/parse-key-fields.ts';
import type { Outcome } from './command.ts';
import { deliverNow } from './deliver-now.ts';
import { requireAccount } from './require-account.ts';
import { withDatabase } from './with-database.ts';

export const keyArguments = {
  email: { type: 'string', required: true, description: "The owner's e-mail address" },
  name: { type: 'string', required: true, description: 'What the key is for' },
  'expires-at': { type: 'string', description: 'When it stops working, such as 2030-01-31T12:00:00Z' },
} as const;

interface KeyOrder {
  readonly kind: KeyKind;
  readonly email: string;
  readonly name: string;
  readonly expiresAt: string | undefined;
}

export function makeKey({ kind, email, ...order }: KeyOrder): Promise<Outcome> {
  const { keyPepper } = loadCommandConfig(['keyPepper']);
  const name = parseKeyName(order.name);
  const expiresAt = parseKeyExpiry(order.expiresAt);
  return withDatabase(async (database) => {
    const { accountId } = await requireAccount(database, email);
    const created = await database.db.transaction(async (transaction) => {
      const made = await createKey(transaction, keyPepper, { accountId, kind, name, expiresAt });
      await recordAction(transaction, commandActor(), {
        action: kind === 'proxy' ? 'key.create' : 'billing_key.create',
        subject: `key ${made.id}`,
        accountId,
        after: { name, prefix: made.prefix, expiresAt },
      });
      return made;
    });
    // Billing keys are looked up in Postgres and are in force as soon as they are there.
    const delivery = kind === 'proxy' ? await deliverNow(database, accountId) : 'It is in force now.';
    return {
      text: `Key ${created.id} of ${email}, shown this once:\n\n  ${created.key}\n\n${delivery}`,
      object: { ...created },
    };
  });
}
