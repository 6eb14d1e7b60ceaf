/** Puts the present state of a proxy key into Redis. Billing keys are only ever looked up in Postgres. */
import type { Sql, TransactionSql } from 'postgres';
import { type Shard, shardCount } from '../../shared/shard.ts';
import type { PublishedKey, WalletKeeper } from '../../shared/wallet/wallet-keeper.ts';

interface KeyRow {
  readonly id: string;
  readonly account_id: string;
  readonly hash: string;
  readonly version: number;
  readonly deleted: boolean;
  readonly active: boolean;
  readonly expires_at: Date | null;
  readonly allowed_models: string[] | null;
}

const publishedAtOnce = 64;

export async function publishKey(
  services: { sql: Sql | TransactionSql; keeper: WalletKeeper },
  keyId: number,
): Promise<void> {
  const [row] = await services.sql<KeyRow[]>`
    SELECT id, account_id, hash, version, deleted_at IS NOT NULL AS deleted, active, expires_at, allowed_models
    FROM api_keys WHERE id = ${keyId} AND kind = 'proxy'`;
  if (row !== undefined) await services.keeper.publishKey(toPublishedKey(row));
}

/** Every key of a shard, after Redis has lost them. */
export async function publishKeysOfShard(services: { sql: Sql; keeper: WalletKeeper }, shard: Shard): Promise<void> {
  const rows = services.sql<KeyRow[]>`
    SELECT id, account_id, hash, version, false AS deleted, active, expires_at, allowed_models
    FROM api_keys WHERE kind = 'proxy' AND deleted_at IS NULL AND account_id % ${shardCount} = ${shard}`;
  for await (const batch of rows.cursor(publishedAtOnce)) {
    await Promise.all(batch.map((row) => services.keeper.publishKey(toPublishedKey(row))));
  }
}

function toPublishedKey(row: KeyRow): PublishedKey {
  return {
    id: Number(row.id),
    accountId: Number(row.account_id),
    hash: row.hash,
    version: row.version,
    deleted: row.deleted,
    active: row.active,
    expiresAt: row.expires_at,
    allowedModels: row.allowed_models,
  };
}
