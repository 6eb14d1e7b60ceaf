/** Shared by `key update`, `key activate` and `key deactivate`. */
import { isObject } from '../../../../shared/members.ts';
import { parseKeyChange } from '../../../api/keys/key-bodies.ts';
import { renderOne } from '../../../api/keys/render-keys.ts';
import type { Transaction } from '../../../database/connect.ts';
import { changeKey } from '../../../keys/change-key.ts';
import type { Key } from '../../../keys/find-key.ts';
import { recordChangedKey } from '../../../keys/record-key-action.ts';
import { commandActor } from '../../../operations/audit/command-actor.ts';
import type { Outcome } from '../../command.ts';
import { deliverKey } from '../../deliver-now.ts';
import { listOf } from '../../list.ts';
import { withDatabase } from '../../with-database.ts';
import { keyColumns } from './key-columns.ts';
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
  // The API replaces a data policy as a whole; here, omitted options stay as they are.
  const dataPolicy = isObject(fields.dataPolicy) && { ...key.dataPolicy, ...fields.dataPolicy };
  const body = { ...fields, ...(dataPolicy && { dataPolicy }) };
  const keyChange = await parseKeyChange(transaction, { kind: key.kind, shown }, body);
  const changed = await changeKey(transaction, key, keyChange);
  if (changed === undefined) throw new Error(`key ${id} disappeared although its row is locked`);
  await recordChangedKey(transaction, commandActor(), { before: key, after: changed, change: keyChange });
  return changed;
}
