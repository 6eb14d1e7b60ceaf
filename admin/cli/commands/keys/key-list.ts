/** `gateway key list` and `gateway billing-key list`: a customer's keys, without deleted ones. */
import type { KeyKind } from '../../../../shared/keys/api-key.ts';
import { renderKeys } from '../../../api/keys/render-keys.ts';
import type { DbOrTransaction } from '../../../database/connect.ts';
import { listKeys } from '../../../keys/find-key.ts';
import { command } from '../../command.ts';
import { listOf } from '../../list.ts';
import { withDatabase } from '../../with-database.ts';
import { accountArguments, findNamedAccount } from '../accounts/name-account.ts';
import { keyColumns } from './key-columns.ts';

export const keyList = listCommand(['proxy', 'billing'], "List a customer's proxy and billing keys");
export const billingKeyList = listCommand(['billing'], "List a customer's billing keys");

function listCommand(kinds: readonly KeyKind[], description: string) {
  return command({
    description,
    args: accountArguments,
    run: (named) =>
      withDatabase(async (database) => {
        const accountId = await findNamedAccount(database, named);
        const found = await Promise.all(kinds.map((kind) => keysOf(database.db, { accountId, kind })));
        const keys = found.flat();
        const owner = named.email ?? `Account ${accountId}`;
        const none = kinds.length === 1 ? `${owner} has no ${kinds[0]} keys.` : `${owner} has no keys.`;
        return { text: listOf(keys, { none, columns: keyColumns }), object: { keys } };
      }),
  });
}

async function keysOf(db: DbOrTransaction, owner: { accountId: number; kind: KeyKind }) {
  const rendered = await renderKeys(db, owner, await listKeys(db, owner));
  return rendered.map((key) => ({ ...key, kind: owner.kind }));
}
