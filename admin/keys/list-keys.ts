/** The keys of an account, newest first, without deleted ones and those of playgrounds. */
import { and, desc, eq, isNull } from 'drizzle-orm';
import type { KeyKind } from '../../shared/keys/api-key.ts';
import { apiKeys } from '../../shared/tables/api-keys.ts';
import type { DbOrTransaction } from '../database/connect.ts';
import type { Key } from './announce-key.ts';

export function listKeys(db: DbOrTransaction, owner: { accountId: number; kind: KeyKind }): Promise<Key[]> {
  return db
    .select()
    .from(apiKeys)
    .where(
      and(
        eq(apiKeys.accountId, owner.accountId),
        eq(apiKeys.kind, owner.kind),
        isNull(apiKeys.deletedAt),
        isNull(apiKeys.sessionId),
      ),
    )
    .orderBy(desc(apiKeys.id));
}
