/**
 * The ledger of the simulation: the real rules of posting on a model of Postgres in memory, so that thousands of runs
 * fit into minutes. The SQL has its own tests.
 */
import type { LedgerSnapshot } from '../../admin/ledger/hydrate-wallet.ts';
import { type Head, type PostingPlan, planPostings } from '../../admin/ledger/plan-postings.ts';
import type { Charge } from '../../admin/ledger/read-usage-entry.ts';
import type { AccountTotals, RecoveryLedger } from '../../admin/recovery/recovery-ledger.ts';
import { type Shard, shardOfAccount } from '../../shared/shard.ts';

interface Account {
  creditedNano: bigint;
  spentNano: bigint;
  readonly credits: bigint[];
}

export type Planner = (charges: readonly Charge[], heads: ReadonlyMap<string, Head>) => PostingPlan;

export class ModelLedger implements RecoveryLedger {
  readonly heads = new Map<string, Head>();
  /** What wallets could not cover, by request. */
  readonly uncharged = new Map<string, bigint>();
  readonly #accounts = new Map<number, Account>();
  readonly #accountOfRequest = new Map<string, number>();
  readonly #plan: Planner;

  constructor(plan: Planner = planPostings) {
    this.#plan = plan;
  }

  open(accountId: number): void {
    this.#accounts.set(accountId, { creditedNano: 0n, spentNano: 0n, credits: [] });
  }

  /** Returns the credit's number. */
  credit(accountId: number, amountNano: bigint): number {
    const account = this.account(accountId);
    account.creditedNano += amountNano;
    account.credits.push(amountNano);
    return account.credits.length;
  }

  creditOf(accountId: number, creditSeq: number): bigint {
    return this.account(accountId).credits[creditSeq - 1] ?? 0n;
  }

  /** One transaction. */
  apply(charges: readonly Charge[]): void {
    const plan = this.#plan(charges, this.heads);
    for (const [requestId, head] of plan.heads) this.heads.set(requestId, head);
    for (const [accountId, differenceNano] of plan.differenceByAccount) {
      this.account(accountId).spentNano += differenceNano;
    }
    for (const { charge } of plan.postings) {
      this.#accountOfRequest.set(charge.requestId, charge.accountId);
      this.uncharged.set(charge.requestId, charge.unchargedNano);
    }
  }

  account(accountId: number): Account {
    const account = this.#accounts.get(accountId);
    if (account === undefined) throw new Error(`no account ${accountId}`);
    return account;
  }

  get accountIds(): number[] {
    return [...this.#accounts.keys()];
  }

  async readSnapshot(accountId: number, orphanIds: readonly string[]): Promise<LedgerSnapshot> {
    const { creditedNano, spentNano, credits } = this.account(accountId);
    const orphans = new Map(orphanIds.map((id) => [id, this.heads.get(id)?.chargedNano ?? 0n]));
    return { creditedNano, spentNano, creditSeq: credits.length, orphans };
  }

  async *accountsOf(shard: Shard): AsyncGenerator<readonly number[]> {
    yield this.accountIds.filter((id) => shardOfAccount(id) === shard);
  }

  async readTotals(accountIds: readonly number[]): Promise<AccountTotals[]> {
    return accountIds.map((accountId) => {
      const { creditedNano, spentNano, credits } = this.account(accountId);
      return { accountId, creditedNano, spentNano, creditSeq: credits.length };
    });
  }

  async *outcomesOf(shard: Shard): AsyncGenerator<ReadonlyMap<string, string>> {
    const outcomes = [...this.heads].filter(
      ([requestId]) => shardOfAccount(this.#accountOfRequest.get(requestId) ?? -1) === shard,
    );
    yield new Map(outcomes.map(([requestId, head]) => [requestId, `${head.rank}:${head.chargedNano}`]));
  }
}
