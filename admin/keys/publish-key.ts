/** Publishes the state of a proxy key to Redis. Billing keys are only ever looked up in Postgres. */
import type { Sql, TransactionSql } from 'postgres';
import { perRateLimit, type RateLimit, rateLimits } from '../../shared/limits/rate-limits.ts';
import { perSpendLimit, type SpendLimit, spendLimits } from '../../shared/limits/spend-limits.ts';
import { type Shard, shardCount } from '../../shared/wallet/shard.ts';
import type { PublishedKey, WalletKeeper } from '../../shared/wallet/wallet-keeper.ts';

interface StateRow {
  readonly id: string;
  readonly account_id: string;
  readonly hash: string;
  readonly first_hash: string | null;
  readonly former_hash: string | null;
  readonly former_ms: string | null;
  readonly version: number;
  readonly deleted: boolean;
  readonly active: boolean;
  readonly address_proven: boolean;
  readonly project_archived: boolean;
  readonly assignment_id: string | null;
  readonly project_id: string | null;
  readonly created_by: string | null;
  readonly expires_at: Date | null;
  readonly allowed_models: string[] | null;
}

/** The limits of the key, and those of its account. */
type LimitsRow = Readonly<
  Record<SpendLimit['column'] | RateLimit['column'] | `account_${RateLimit['column']}`, string | null>
>;
type KeyRow = StateRow & LimitsRow;

const publishedAtOnce = 64;

/**
 * A Redis restored from older data may still have a key that was deleted since. Data older than this is not expected.
 */
export const deletedKeyDays = 30;

/** Every proxy has found the key by its new hash by then. */
const formerHashHours = 24;

export async function publishKey(
  services: { sql: Sql | TransactionSql; keeper: WalletKeeper },
  keyId: number,
): Promise<void> {
  const [row] = await services.sql<KeyRow[]>`
    ${selectKeys(services.sql)} WHERE key.id = ${keyId} AND key.kind = 'proxy'`;
  if (row !== undefined) await services.keeper.publishKey(toPublishedKey(row));
}

/** Every key of a shard, after Redis has lost them, and every deleted key that it may have restored. */
export async function publishKeysOfShard(services: { sql: Sql; keeper: WalletKeeper }, shard: Shard): Promise<void> {
  const rows = services.sql<KeyRow[]>`
    ${selectKeys(services.sql)}
    WHERE key.kind = 'proxy' AND key.account_id % ${shardCount} = ${shard}
      AND (key.deleted_at IS NULL OR key.deleted_at > now() - ${deletedKeyDays} * interval '1 day')`;
  for await (const batch of rows.cursor(publishedAtOnce)) {
    await Promise.all(batch.map((row) => services.keeper.publishKey(toPublishedKey(row))));
  }
}

const selectKeys = (sql: Sql | TransactionSql) => sql`
  SELECT key.id, key.account_id, key.hash, key.first_hash, key.former_hash,
    trunc(extract(epoch FROM key.rehashed_at + ${formerHashHours} * interval '1 hour' - now()) * 1000) AS former_ms, key.version, key.deleted_at IS NOT NULL AS deleted,
    key.active AND account.blocked_at IS NULL AS active,
    account.ownership <> 'unproven' AS address_proven, project.archived_at IS NOT NULL AS project_archived,
    key.assignment_id, key.project_id, key.created_by, key.expires_at, key.allowed_models
    ${[...spendLimits, ...rateLimits].map(({ column }) => sql`, key.${sql(column)}`)}
    ${rateLimits.map(({ column }) => sql`, account.${sql(column)} AS ${sql(`account_${column}`)}`)}
  FROM api_keys AS key JOIN accounts AS account ON account.id = key.account_id
  LEFT JOIN projects AS project ON project.id = key.project_id`;

const numberOrNull = (text: string | null) => (text === null ? null : Number(text));
const bigintOrNull = (text: string | null) => (text === null ? null : BigInt(text));

function formerOf({ former_hash, former_ms }: KeyRow): PublishedKey['former'] {
  const lifeMs = Number(former_ms);
  return former_hash === null || lifeMs <= 0 ? undefined : { hash: former_hash, lifeMs };
}

function toPublishedKey(row: KeyRow): PublishedKey {
  return {
    id: Number(row.id),
    accountId: Number(row.account_id),
    hash: row.hash,
    firstHash: row.first_hash,
    former: formerOf(row),
    version: row.version,
    deleted: row.deleted,
    active: row.active,
    addressProven: row.address_proven,
    projectArchived: row.project_archived,
    assignment: {
      id: numberOrNull(row.assignment_id),
      projectId: numberOrNull(row.project_id),
      userId: numberOrNull(row.created_by),
    },
    expiresAt: row.expires_at,
    allowedModels: row.allowed_models,
    limits: {
      key: perRateLimit(({ column }) => numberOrNull(row[column])),
      account: perRateLimit(({ column }) => numberOrNull(row[`account_${column}`])),
      spendNano: perSpendLimit(({ column }) => bigintOrNull(row[column])),
    },
  };
}
