/** `gateway key revoke` and `gateway billing-key revoke`: delete a key for good, of any account. */
import type { KeyKind } from '../../../../shared/keys/api-key.ts';
import type { Transaction } from '../../../database/connect.ts';
import { deleteKey } from '../../../keys/change-key.ts';
import type { Key } from '../../../keys/find-key.ts';
import { recordDeletedKey } from '../../../keys/record-key-action.ts';
import { commandActor } from '../../../operations/audit/command-actor.ts';
import { command } from '../../command.ts';
import { deliverKey } from '../../deliver-now.ts';
import { withDatabase } from '../../with-database.ts';
import { keyIdArgument, readKeyId } from './key-options.ts';
import { requireKey } from './require-key.ts';

export const keyRevoke = revokeCommand(undefined, 'Delete a proxy or billing key for good');
export const billingKeyRevoke = revokeCommand('billing', 'Delete a billing key for good');

function revokeCommand(kind: KeyKind | undefined, description: string) {
  return command({
    description,
    args: keyIdArgument,
    run: (args) => {
      const id = readKeyId(args.id);
      return withDatabase(async (database) => {
        const key = await database.db.transaction((transaction) => revoke(transaction, { id, kind }));
        const delivery = await deliverKey(database, key);
        return { text: `Deleted key ${id} (${key.prefix}…). ${delivery}`, object: { id, prefix: key.prefix } };
      });
    },
  });
}

async function revoke(transaction: Transaction, named: { id: number; kind: KeyKind | undefined }): Promise<Key> {
  const key = await requireKey(transaction, named);
  await deleteKey(transaction, key);
  await recordDeletedKey(transaction, commandActor(), key);
  return key;
}
