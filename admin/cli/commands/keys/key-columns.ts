/** The columns of a key, in lists and in the audit log. */
import type { KeyKind } from '../../../../shared/keys/api-key.ts';
import { formatUsd, nanoUsd } from '../../../../shared/money.ts';
import type { renderKey } from '../../../api/keys/key-schemas.ts';
import type { Key } from '../../../keys/find-key.ts';

type ListedKey = ReturnType<typeof renderKey> & { readonly kind: KeyKind };

export const keyColumns = {
  KEY: ({ id }: ListedKey) => id,
  KIND: ({ kind }: ListedKey) => kind,
  PREFIX: ({ prefix }: ListedKey) => `${prefix}…`,
  STATE: ({ state }: ListedKey) => state,
  EXPIRES: ({ expiresAt }: ListedKey) => expiresAt ?? 'never',
  NAME: ({ name }: ListedKey) => name,
};

/** As the audit log keeps them: amounts are decimal strings of USD. */
export function auditedKey(columns: Partial<Key>): object {
  const fields = Object.entries(columns).map(([column, value]) => [
    column.replace(/Nano$/, ''),
    typeof value === 'bigint' ? formatUsd(nanoUsd(value)) : value,
  ]);
  return Object.fromEntries(fields);
}
