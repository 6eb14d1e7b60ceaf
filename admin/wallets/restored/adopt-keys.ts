/**
 * Proxy keys after Postgres was restored to an earlier moment: what Redis knows better is taken over. A key that was
 * deleted or deactivated since stays so; one that was created since is dropped, because no one could see or delete it.
 */
import type { Sql } from 'postgres';
import type { ScannedKey, WalletCensus } from '../../../shared/wallet/wallet-census.ts';

export interface AdoptedKeys {
  /** Created since: they no longer work. */
  readonly forgotten: number;
  /** Deleted or deactivated since. */
  readonly ended: number;
  /** Changed since in another way: they have their earlier state again. */
  readonly reverted: number;
}

interface KeyRow {
  readonly id: string;
  readonly hash: string;
  readonly former_hash: string | null;
  readonly version: number;
  readonly active: boolean;
}

export async function adoptKeys({ sql, census }: { sql: Sql; census: WalletCensus }): Promise<AdoptedKeys> {
  const sums = { forgotten: 0, ended: 0, reverted: 0 };
  for await (const found of census.keys()) {
    const rows = await readRows(sql, found);
    for (const key of found) {
      const row = rows.find(({ hash, former_hash }) => hash === key.hash || former_hash === key.hash);
      if (row === undefined && key.accountId !== undefined) {
        await census.forgetKey(key);
        sums.forgotten += 1;
      } else if (row !== undefined && key.version > row.version) {
        const isEnded = await adoptState(sql, row, key);
        sums[isEnded ? 'ended' : 'reverted'] += 1;
      }
    }
  }
  return sums;
}

function readRows(sql: Sql, found: readonly ScannedKey[]): Promise<KeyRow[]> {
  const hashes = found.map(({ hash }) => hash);
  return sql<KeyRow[]>`
    SELECT id, hash, former_hash, version, active AND deleted_at IS NULL AS active FROM api_keys
    WHERE hash = ANY(${hashes}) OR former_hash = ANY(${hashes})`;
}

/** The key's version exceeds that in Redis, so that its state is published. Returns whether the key has ended. */
async function adoptState(sql: Sql, row: KeyRow, { version, accountId, active }: ScannedKey): Promise<boolean> {
  const isDeleted = accountId === undefined;
  await sql`
    WITH changed AS (
      UPDATE api_keys SET version = ${version + 1}, active = active AND ${active || isDeleted},
        deleted_at = CASE WHEN ${isDeleted} THEN coalesce(deleted_at, now()) ELSE deleted_at END
      WHERE id = ${row.id} AND version <= ${version} RETURNING id, account_id
    )
    INSERT INTO outbox (topic, account_id, key_id) SELECT 'key', account_id, id FROM changed`;
  return row.active && (isDeleted || !active);
}
