/** `gateway key revoke`: deletes a proxy or billing key for good, whoever owns it. */
import { eq } from 'drizzle-orm';
import { GatewayError } from '../../../shared/errors.ts';
import { apiKeys } from '../../../shared/tables/api-keys.ts';
import { commandActor } from '../../audit/command-actor.ts';
import { recordAction } from '../../audit/record-action.ts';
import type { Transaction } from '../../database/connect.ts';
import type { Key } from '../../keys/announce-key.ts';
import { deleteKey } from '../../keys/change-key.ts';
import { command } from '../command.ts';
import { deliverNow } from '../deliver-now.ts';
import { withDatabase } from '../with-database.ts';

export const keyRevoke = command({
  description: 'Delete a proxy or billing key for good',
  args: { id: { type: 'string', required: true, description: "The key's id, as `key list` shows it" } },
  run: (args) => {
    const id = Number(args.id);
    if (!Number.isSafeInteger(id) || id < 1) {
      throw new GatewayError('invalid_parameter', 'An id is a whole number above 0.', { param: 'id' });
    }
    return withDatabase(async (database) => {
      const key = await database.db.transaction((transaction) => revoke(transaction, id));
      const delivery = await deliverNow(database, key.accountId);
      return { text: `Deleted key ${id} (${key.prefix}…). ${delivery}`, object: { id, prefix: key.prefix } };
    });
  },
});

async function revoke(transaction: Transaction, id: number): Promise<Key> {
  const [owner] = await transaction.select().from(apiKeys).where(eq(apiKeys.id, id));
  const key = owner === undefined ? undefined : await deleteKey(transaction, owner);
  if (key === undefined) throw new GatewayError('not_found', `There is no key ${id}.`, { param: 'id' });
  const { accountId, name, prefix } = key;
  const action = { action: 'key.revoke', subject: `key ${id}`, accountId, before: { name, prefix } } as const;
  await recordAction(transaction, commandActor(), action);
  return key;
}
