/** `gateway key list`: a customer's proxy and billing keys that are not deleted. */
import { renderKey } from '../../api/key-schemas.ts';
import { listKeys } from '../../keys/list-keys.ts';
import { command } from '../command.ts';
import { keyColumns } from '../key-columns.ts';
import { listOf } from '../list.ts';
import { requireAccount } from '../require-account.ts';
import { withDatabase } from '../with-database.ts';

export const keyList = command({
  description: "List a customer's proxy and billing keys",
  args: { email: { type: 'string', required: true, description: "The owner's e-mail address" } },
  run: ({ email }) =>
    withDatabase(async (database) => {
      const { accountId } = await requireAccount(database, email);
      const [proxyKeys, billingKeys] = await Promise.all([
        listKeys(database.db, { accountId, kind: 'proxy' }),
        listKeys(database.db, { accountId, kind: 'billing' }),
      ]);
      const keys = [...proxyKeys, ...billingKeys].map((key) => ({ ...renderKey(key), kind: key.kind }));
      const text = listOf(keys, { none: `${email} has no keys.`, columns: keyColumns });
      return { text, object: { keys } };
    }),
});
