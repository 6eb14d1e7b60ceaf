/** What recovery reads from the ledger in Postgres. */
import type { Sql } from 'postgres';
import { type Shard, shardCount, shardOfAccount } from '../../../shared/wallet/shard.ts';

/** An account's sums, and the number of its last credit. */
export interface AccountTotals {
  readonly accountId: number;
  readonly creditedNano: bigint;
  readonly spentNano: bigint;
  readonly creditSeq: number;
}

export interface RecoveryLedger {
  /** The accounts of a shard that is recovered, a few hundred at a time. */
  accountsOf(shard: Shard): AsyncIterable<readonly number[]>;
  readTotals(accountIds: readonly number[]): Promise<readonly AccountTotals[]>;
  /** Those of the requests that were booked, with their outcomes as `rank:cost`. */
  readOutcomes(requestIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
}

const accountsAtOnce = 500;
const rowsAtOnce = 10_000;

export class PostgresRecoveryLedger implements RecoveryLedger {
  readonly #sql: Sql;
  readonly #shards: readonly Shard[];
  #accounts: Promise<ReadonlyMap<Shard, readonly number[]>> | undefined;

  /** For the recovery of these shards. */
  constructor(sql: Sql, shards: readonly Shard[]) {
    this.#sql = sql;
    this.#shards = shards;
  }

  async *accountsOf(shard: Shard): AsyncGenerator<readonly number[]> {
    this.#accounts ??= this.#readAccounts();
    const accounts = (await this.#accounts).get(shard) ?? [];
    for (let first = 0; first < accounts.length; first += accountsAtOnce) {
      yield accounts.slice(first, first + accountsAtOnce);
    }
  }

  /** All at once: for each shard alone, Postgres would read all accounts. One that is opened later has nothing to compare. */
  async #readAccounts(): Promise<ReadonlyMap<Shard, readonly number[]>> {
    const accounts = new Map<Shard, number[]>(this.#shards.map((shard) => [shard, []]));
    const batches = this.#sql<{ id: string }[]>`
      SELECT id FROM accounts WHERE id % ${shardCount} = ANY(${[...this.#shards]}::int[])`.cursor(rowsAtOnce);
    for await (const batch of batches) {
      for (const { id } of batch) accounts.get(shardOfAccount(Number(id)))?.push(Number(id));
    }
    return accounts;
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
