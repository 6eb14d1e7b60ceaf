/**
 * The shards that this admin works on. Each is a Postgres advisory lock held by one connection, so that several admins
 * share the shards without coordination, and a dead one's shards are free immediately. A lease avoids duplicate work; the
 * ledger's correctness does not depend on it, so a moment in which two admins believe they have the same shard is
 * harmless.
 */
import type { Sql } from 'postgres';
import type { Log } from '../../shared/log.ts';
import { allShards, type Shard } from '../../shared/wallet/shard.ts';
import { numberedLocks } from '../database/advisory-locks.ts';
import { openPool, shortWaits } from '../database/connect.ts';

const refreshIntervalMs = 2_000;

export class ShardLeases {
  readonly #sql: Sql;
  readonly #log: Log;
  readonly #timer: ReturnType<typeof setInterval>;
  #owned: readonly Shard[] = [];
  #refreshing: Promise<void> | undefined;

  constructor(options: { databaseUrl: string; log: Log }) {
    this.#log = options.log;
    this.#sql = openPool(options.databaseUrl, shortWaits, {
      max: 1,
      idle_timeout: 0,
      max_lifetime: null,
      connection: { application_name: 'gateway-leases', statement_timeout: shortWaits.statementMs },
    });
    this.#timer = setInterval(() => void this.refresh(), refreshIntervalMs);
  }

  get owned(): readonly Shard[] {
    return this.#owned;
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
      const rows = await this.#sql<{ shard: number }[]>`
        WITH held AS (
          SELECT objid::int AS shard FROM pg_locks
          WHERE locktype = 'advisory' AND pid = pg_backend_pid() AND classid = ${numberedLocks.shardLease.number} AND objsubid = 2
        )
        SELECT shard FROM unnest(${[...allShards]}::int[]) AS all_shards (shard)
        WHERE shard IN (SELECT shard FROM held) OR pg_try_advisory_lock(${numberedLocks.shardLease.number}, shard)`;
      this.#owned = rows.map((row) => allShards[row.shard]).filter((shard) => shard !== undefined);
    } catch (error) {
      this.#owned = [];
      this.#log.warn({ err: error }, 'shard leases could not be refreshed');
    }
  }
}
