/** Shows keys, with what they have spent where they can spend. */
import type { KeyKind } from '../../shared/keys/api-key.ts';
import type { DbOrTransaction } from '../database/connect.ts';
import type { Key } from '../keys/announce-key.ts';
import { readKeyUsage } from '../keys/read-key-usage.ts';
import { renderKey, renderProxyKey } from './key-schemas.ts';

export async function renderKeys(db: DbOrTransaction, kind: KeyKind, keys: readonly Key[]) {
  if (kind === 'billing') return keys.map(renderKey);
  const ids = keys.map(({ id }) => id);
  const usage = await readKeyUsage(db, ids);
  return keys.map((key) => renderProxyKey(key, usage.get(key.id)));
}

export async function renderOne(db: DbOrTransaction, kind: KeyKind, key: Key) {
  const [rendered] = await renderKeys(db, kind, [key]);
  if (rendered === undefined) throw new Error('one key was rendered as none');
  return rendered;
}
