/** What recovery reads from the ledger in Postgres. */
import type { Sql } from 'postgres';
import { type Shard, shardCount } from '../../../shared/wallet/shard.ts';

/** An account's sums, and the number of its last credit. */
export interface AccountTotals {
  readonly accountId: number;
  readonly creditedNano: bigint;
  readonly spentNano: bigint;
  readonly creditSeq: number;
}

export interface RecoveryLedger {
  /** The accounts of a shard, a few hundred at a time. */
  accountsOf(shard: Shard): AsyncIterable<readonly number[]>;
  readTotals(accountIds: readonly number[]): Promise<readonly AccountTotals[]>;
  /** Those of the requests that were booked, with their outcomes as `rank:cost`. */
  readOutcomes(requestIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
}

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

  async readOutcomes(requestIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const rows = await this.#sql<{ request_id: string; outcome: string }[]>`
      SELECT request_id, rank || ':' || charged_nano AS outcome FROM charged_requests
      WHERE request_id = ANY(${[...requestIds]}::uuid[])`;
    return new Map(rows.map((row) => [row.request_id, row.outcome]));
  }
}
