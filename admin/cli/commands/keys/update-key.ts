/** Shared by `key update`, `key activate` and `key deactivate`. */
import { parseKeyChange } from '../../../api/keys/key-bodies.ts';
import { renderOne } from '../../../api/keys/render-keys.ts';
import type { Transaction } from '../../../database/connect.ts';
import { changeKey, type KeyChange } from '../../../keys/change-key.ts';
import type { Key } from '../../../keys/find-key.ts';
import { commandActor } from '../../../operations/audit/command-actor.ts';
import { recordAction } from '../../../operations/audit/record-action.ts';
import type { Outcome } from '../../command.ts';
import { deliverKey } from '../../deliver-now.ts';
import { listOf } from '../../list.ts';
import { withDatabase } from '../../with-database.ts';
import { auditedKey, keyColumns } from './key-columns.ts';
import { requireKey } from './require-key.ts';

/** `fields` are those of the API. */
export function updateKey(id: number, fields: Readonly<Record<string, unknown>>): Promise<Outcome> {
  return withDatabase(async (database) => {
    const key = await database.db.transaction((transaction) => change(transaction, id, fields));
    const shown = { ...(await renderOne(database.db, key, key)), kind: key.kind };
    const delivery = await deliverKey(database, key);
    return { text: [listOf([shown], { none: '', columns: keyColumns }), '', delivery], object: shown };
  });
}

async function change(transaction: Transaction, id: number, fields: Readonly<Record<string, unknown>>): Promise<Key> {
  const key = await requireKey(transaction, { id });
  const shown = await renderOne(transaction, key, key);
  const keyChange = await parseKeyChange(transaction, { kind: key.kind, shown }, fields);
  const changed = await changeKey(transaction, key, keyChange);
  if (changed === undefined) throw new Error(`key ${id} disappeared although its row is locked`);
  await recordAction(transaction, commandActor(), {
    action: 'key.update',
    subject: `key ${id}`,
    accountId: key.accountId,
    before: partOf(key, keyChange),
    after: partOf(changed, keyChange),
  });
  return changed;
}

/** What of a key a change is about. */
function partOf(key: Key, change: KeyChange): object {
  return auditedKey(Object.fromEntries(Object.entries(key).filter(([column]) => Object.hasOwn(change, column))));
}
