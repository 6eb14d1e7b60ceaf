/** Publishes the state of a proxy key to Redis. Billing keys are only ever looked up in Postgres. */
import type { Sql, TransactionSql } from 'postgres';
import { zoneOffsets } from '../../shared/days-of-zone.ts';
import type { DataPolicy } from '../../shared/keys/data-policy.ts';
import type { Budgets, PerBudgetLevel } from '../../shared/limits/budget-levels.ts';
import { perRateLimit, type RateLimit, rateLimits } from '../../shared/limits/rate-limits.ts';
import { type PerSpendLimit, perSpendLimit, type SpendLimit, spendLimits } from '../../shared/limits/spend-limits.ts';
import { isDimensionName } from '../../shared/usage/dimension-names.ts';
import { type Shard, shardCount } from '../../shared/wallet/shard.ts';
import type { PublishedKey, WalletKeeper } from '../../shared/wallet/wallet-keeper.ts';
import { arrayLiteral } from '../database/array-literal.ts';

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
  readonly allowed_ips: string[] | null;
  readonly organization_ips: string[] | null;
  readonly data_policy: DataPolicy | null;
  readonly organization_data_policy: DataPolicy | null;
  readonly cache_seconds: number | null;
}

/** The limits of the key, and those of its account. */
type LimitsRow = Readonly<
  Record<SpendLimit['column'] | RateLimit['column'] | `account_${RateLimit['column']}`, string | null>
>;
interface PlaceRow {
  readonly time_zone: string;
  readonly dimensions: string[] | null;
  /** By level and period. */
  readonly budgets: Partial<PerBudgetLevel<Partial<PerSpendLimit<string>>>> | null;
}

type KeyRow = StateRow & LimitsRow & PlaceRow;

const publishedAtOnce = 1_000;
/** Keys of accounts that had usage since then are published first after a loss. */
const activeHours = 24;

/**
 * A Redis restored from older data may still have a key that was deleted since. Data older than this is not expected.
 */
export const deletedKeyDays = 30;

/** Every proxy has found the key by its new hash by then. */
const formerHashHours = 24;

export async function publishKeys(
  { sql, keeper }: { sql: Sql | TransactionSql; keeper: WalletKeeper },
  keyIds: readonly number[],
): Promise<void> {
  const rows = await sql<KeyRow[]>`
    ${selectKeys(sql)} WHERE key.id = ANY(${arrayLiteral(keyIds)}::bigint[]) AND key.kind = 'proxy'`;
  if (rows.length > 0) await keeper.publishKeys(rows.map(toPublishedKey));
}

/** After Redis has lost them, every key of these shards, and every deleted key that it may have restored. */
export async function publishKeysOfShards(
  { sql, keeper }: { sql: Sql; keeper: WalletKeeper },
  shards: readonly Shard[],
  accounts: 'active' | 'all' = 'all',
): Promise<void> {
  if (shards.length === 0) return;
  const isActive = sql`AND EXISTS (
    SELECT FROM usage_totals AS total
    WHERE total.account_id = key.account_id AND total.bucket_15m > now() - ${activeHours} * interval '1 hour')`;
  const rows = sql<KeyRow[]>`
    ${selectKeys(sql)}
    WHERE key.kind = 'proxy' AND key.account_id % ${shardCount} = ANY(${[...shards]}::int[])
      AND (key.deleted_at IS NULL OR key.deleted_at > now() - ${deletedKeyDays} * interval '1 day')
      ${accounts === 'active' ? isActive : sql``}`;
  for await (const batch of rows.cursor(publishedAtOnce)) await keeper.publishKeys(batch.map(toPublishedKey));
}

const selectKeys = (sql: Sql | TransactionSql) => sql`
  SELECT key.id, key.account_id, key.hash, key.first_hash, key.former_hash,
    trunc(extract(epoch FROM key.rehashed_at + ${formerHashHours} * interval '1 hour' - now()) * 1000) AS former_ms, key.version, key.deleted_at IS NOT NULL AS deleted,
    key.active AND account.blocked_at IS NULL AS active,
    account.ownership <> 'unproven' AS address_proven, project.archived_at IS NOT NULL AS project_archived,
    key.assignment_id, key.project_id, key.created_by, coalesce(settings.time_zone, 'UTC') AS time_zone, budget.budgets, (
      SELECT array_agg(name ORDER BY id) FROM dimensions WHERE dimensions.account_id = key.account_id AND dimensions.active
    ) AS dimensions, key.expires_at, key.allowed_models,
    key.allowed_ips, settings.allowed_ips AS organization_ips,
    key.data_policy, settings.data_policy AS organization_data_policy, key.cache_seconds
    ${[...spendLimits, ...rateLimits].map(({ column }) => sql`, key.${sql(column)}`)}
    ${rateLimits.map(({ column }) => sql`, account.${sql(column)} AS ${sql(`account_${column}`)}`)}
  FROM api_keys AS key JOIN accounts AS account ON account.id = key.account_id
  LEFT JOIN projects AS project ON project.id = key.project_id
  LEFT JOIN organization_settings AS settings ON settings.account_id = key.account_id
  LEFT JOIN LATERAL (
    SELECT json_object_agg(level, periods) AS budgets FROM (
      SELECT level, json_object_agg(period, amount_nano::text) AS periods FROM budgets
      WHERE budgets.account_id = key.account_id AND CASE level
        WHEN 'project' THEN scope_id = key.project_id WHEN 'member' THEN scope_id = key.created_by ELSE true END
      GROUP BY level
    ) AS of_level
  ) AS budget ON true`;

const numberOrNull = (text: string | null) => (text === null ? null : Number(text));
const bigintOrNull = (text: string | null) => (text === null ? null : BigInt(text));

function toBudgets(budgets: NonNullable<PlaceRow['budgets']>): Partial<PerBudgetLevel<Budgets>> {
  const levels = Object.entries(budgets).map(([level, periods]) => [
    level,
    perSpendLimit(({ name }) => bigintOrNull(periods?.[name] ?? null)),
  ]);
  return Object.fromEntries(levels);
}

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
    zone: zoneOffsets(row.time_zone, new Date()),
    ...(row.dimensions !== null && { dimensions: row.dimensions.filter(isDimensionName) }),
    expiresAt: row.expires_at,
    allowedModels: row.allowed_models,
    rules: {
      addresses: { organization: row.organization_ips, key: row.allowed_ips },
      dataPolicies: { organization: row.organization_data_policy, key: row.data_policy },
      cacheSeconds: row.cache_seconds,
    },
    limits: {
      key: perRateLimit(({ column }) => numberOrNull(row[column])),
      account: perRateLimit(({ column }) => numberOrNull(row[`account_${column}`])),
      spendNano: perSpendLimit(({ column }) => bigintOrNull(row[column])),
      ...(row.budgets !== null && { budgetsNano: toBudgets(row.budgets) }),
    },
  };
}
