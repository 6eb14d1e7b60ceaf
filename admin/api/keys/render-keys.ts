/** Renders keys; proxy keys with what they have spent. */
import { eq } from 'drizzle-orm';
import type { KeyKind } from '../../../shared/keys/api-key.ts';
import type { DbOrTransaction } from '../../database/connect.ts';
import { isUnproven } from '../../database/rows/account-state.ts';
import { organizations } from '../../database/tables/accounts.ts';
import type { Key } from '../../keys/find-key.ts';
import { readArchivedProjects } from '../../keys/key-project.ts';
import { readKeyUsage } from '../../keys/read-key-usage.ts';
import { renderKey, renderProxyKey } from './key-schemas.ts';

export async function renderKeys(
  db: DbOrTransaction,
  { accountId, kind }: { accountId: number; kind: KeyKind },
  keys: readonly Key[],
) {
  const archived = await readArchivedProjects(db, accountId);
  if (kind === 'billing') return keys.map((key) => renderKey(key, archived));
  const ids = keys.map(({ id }) => id);
  const [place] = await db
    .select({ timeZone: organizations.timeZone })
    .from(organizations)
    .where(eq(organizations.id, accountId));
  const usage = await readKeyUsage(db, ids, place?.timeZone ?? 'UTC');
  const awaitsVerification = await isUnproven(db, accountId);
  return keys.map((key) => renderProxyKey(key, { archived, usage: usage.get(key.id), awaitsVerification }));
}

export async function renderOne(db: DbOrTransaction, owner: { accountId: number; kind: KeyKind }, key: Key) {
  const [rendered] = await renderKeys(db, owner, [key]);
  if (rendered === undefined) throw new Error('one key was rendered as none');
  return rendered;
}
