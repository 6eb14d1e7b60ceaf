/** The columns of a key in lists. */
import type { KeyKind } from '../../../../shared/keys/api-key.ts';
import type { renderKey } from '../../../api/keys/key-schemas.ts';

type ListedKey = ReturnType<typeof renderKey> & { readonly kind: KeyKind };

export const keyColumns = {
  KEY: ({ id }: ListedKey) => id,
  KIND: ({ kind }: ListedKey) => kind,
  PREFIX: ({ prefix }: ListedKey) => `${prefix}…`,
  STATE: ({ state }: ListedKey) => state,
  EXPIRES: ({ expiresAt }: ListedKey) => expiresAt ?? 'never',
  NAME: ({ name }: ListedKey) => name,
};
