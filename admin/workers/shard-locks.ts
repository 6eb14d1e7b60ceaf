/**
 * The shards that this admin works on. Each is a Postgres advisory lock held by one connection, so that several admins
 * share the shards without coordination, and a dead one's shards are free immediately. A lock avoids duplicate work; the
 * ledger's correctness does not depend on it, so a moment in which two admins believe they have the same shard is
 * harmless.
 */
import type { Sql } from 'postgres';
import type { Log } from '../../shared/log.ts';
import { allShards, type Shard } from '../../shared/wallet/shard.ts';
import { usageFormat, usageFormats } from '../../shared/wallet/usage-stream/usage-format.ts';
import { numberedLocks } from '../database/advisory-locks.ts';
import { openPool, shortWaits } from '../database/connect.ts';

const refreshIntervalMs = 2_000;
/** Tells other admins which entries of the usage stream this one reads; those of 0.1.0 are `gateway-leases`. */
const applicationName = `gateway-shards-${usageFormat}`;

export class ShardLocks {
  readonly #sql: Sql;
  readonly #log: Log;
  readonly #timer: ReturnType<typeof setInterval>;
  #owned: readonly Shard[] = [];
  #usageFormat: number = usageFormats.single;
  #refreshing: Promise<void> | undefined;

  constructor(options: { databaseUrl: string; log: Log }) {
    this.#log = options.log;
    this.#sql = openPool(options.databaseUrl, shortWaits, {
      max: 1,
      idle_timeout: 0,
      max_lifetime: null,
      connection: { application_name: applicationName, statement_timeout: shortWaits.statementMs },
    });
    this.#timer = setInterval(() => void this.refresh(), refreshIntervalMs);
  }

  get owned(): readonly Shard[] {
    return this.#owned;
  }

  /** Which entries of the usage stream all running admins read. */
  get usageFormat(): number {
    return this.#usageFormat;
  }

  /**
   * Takes free shards; asks Postgres which ones this connection really holds, because a lost connection loses its
   * locks.
   */
  refresh(): Promise<void> {
    this.#refreshing ??= this.#refresh().finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  async release(): Promise<void> {
    clearInterval(this.#timer);
    this.#owned = [];
    await this.#sql.end({ timeout: 2 });
  }

  async #refresh(): Promise<void> {
    try {
      const [state] = await this.#sql<{ shards: number[] | null; format: number | null }[]>`
        WITH held AS (
          SELECT objid::int AS shard FROM pg_locks
          WHERE locktype = 'advisory' AND pid = pg_backend_pid() AND classid = ${numberedLocks.shardLock.number} AND objsubid = 2
        )
        SELECT (
          SELECT array_agg(shard) FROM unnest(${[...allShards]}::int[]) AS all_shards (shard)
          WHERE shard IN (SELECT shard FROM held) OR pg_try_advisory_lock(${numberedLocks.shardLock.number}, shard)
        ) AS shards, (
          SELECT min(CASE application_name WHEN 'gateway-leases' THEN ${usageFormats.single}::int
            ELSE substring(application_name FROM '\\d+$')::int END)
          FROM pg_stat_activity
          WHERE datname = current_database() AND application_name ~ '^gateway-(leases|shards-\\d+)$'
        ) AS format`;
      this.#owned = (state?.shards ?? []).map((shard) => allShards[shard]).filter((shard) => shard !== undefined);
      this.#usageFormat = state?.format ?? usageFormats.single;
    } catch (error) {
      this.#owned = [];
      this.#log.warn({ err: error }, 'shard locks could not be refreshed');
    }
  }
}
