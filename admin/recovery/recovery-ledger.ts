/** What recovery reads of the ledger, from Postgres. */
import type { Sql } from 'postgres';
import { type Shard, shardCount } from '../../shared/shard.ts';

/** An account's sums, and the number of its last credit. */
export interface AccountTotals {
  readonly accountId: number;
  readonly creditedNano: bigint;
  readonly spentNano: bigint;
  readonly creditSeq: number;
}

export interface RecoveryLedger {
  /** The accounts of a shard, some hundreds at a time. */
  accountsOf(shard: Shard): AsyncIterable<readonly number[]>;
  readTotals(accountIds: readonly number[]): Promise<readonly AccountTotals[]>;
  /** The requests of a shard that were booked lately, with their outcome as `rank:cost`, some hundreds at a time. */
  outcomesOf(shard: Shard): AsyncIterable<ReadonlyMap<string, string>>;
}

/** A proxy forgets a charge two minutes after it was booked, so replays of much older ones do not come. */
const outcomesKept = '10 minutes';
const rowsAtOnce = 500;

export class PostgresRecoveryLedger implements RecoveryLedger {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  async *accountsOf(shard: Shard): AsyncGenerator<readonly number[]> {
    const batches = this.#sql<{ id: string }[]>`
      SELECT id FROM accounts WHERE id % ${shardCount} = ${shard}`.cursor(rowsAtOnce);
    for await (const batch of batches) yield batch.map((row) => Number(row.id));
  }

  async readTotals(accountIds: readonly number[]): Promise<AccountTotals[]> {
    const rows = await this.#sql<{ id: string; credited_nano: string; spent_nano: string; credit_seq: string }[]>`
      SELECT id, credited_nano, spent_nano, credit_seq FROM accounts WHERE id = ANY(${[...accountIds]}::bigint[])`;
    return rows.map((row) => ({
      accountId: Number(row.id),
      creditedNano: BigInt(row.credited_nano),
      spentNano: BigInt(row.spent_nano),
      creditSeq: Number(row.credit_seq),
    }));
  }

  async *outcomesOf(shard: Shard): AsyncGenerator<ReadonlyMap<string, string>> {
    const batches = this.#sql<{ request_id: string; outcome: string }[]>`
      SELECT heads.request_id, heads.rank || ':' || heads.charged_nano AS outcome
      FROM usage_events AS events JOIN usage_requests AS heads USING (request_id, rank)
      WHERE events.charged_at > now() - ${outcomesKept}::interval AND events.account_id % ${shardCount} = ${shard}
    `.cursor(rowsAtOnce);
    for await (const batch of batches) yield new Map(batch.map((row) => [row.request_id, row.outcome]));
  }
}
