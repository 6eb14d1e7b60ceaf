/**
 * The simulation's ledger: the real posting rules on an in-memory model of Postgres, so that thousands of runs take
 * minutes. The SQL has its own tests.
 */
import { type Head, type PostingPlan, planPostings } from '../../../admin/ledger/charges/plan-postings.ts';
import type { Charge } from '../../../admin/ledger/charges/read-usage-entry.ts';
import { type LedgerSnapshot, notBooked, type Orphans } from '../../../admin/ledger/hydrate-wallets.ts';
import type { AccountTotals, RecoveryLedger } from '../../../admin/wallets/recovery/recovery-ledger.ts';
import type { Scope } from '../../../shared/limits/budget-levels.ts';
import { type PerSpendLimit, perSpendLimit, windowStart } from '../../../shared/limits/spend-limits.ts';
import type { ZoneOffsets } from '../../../shared/limits/zone-offsets.ts';
import { type Shard, shardOfAccount } from '../../../shared/wallet/shard.ts';

import type { SimulatedKeys } from './simulated-keys.ts';

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
  /** By request and rank: the booked entry, and what it has changed. */
  readonly #booked = new Map<string, { entry: string; differenceNano: bigint }>();
  readonly #plan: Planner;
  readonly #postings: { charge: Charge; differenceNano: bigint }[] = [];
  readonly #keys: SimulatedKeys | undefined;

  constructor(plan: Planner = planPostings, keys?: SimulatedKeys) {
    this.#plan = plan;
    this.#keys = keys;
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
    for (const { charge, differenceNano } of plan.postings) {
      this.#booked.set(`${charge.requestId} ${charge.rank}`, { entry: entryOf(charge), differenceNano });
      this.uncharged.set(charge.requestId, charge.unchargedNano);
      this.#postings.push({ charge, differenceNano });
    }
  }

  /** What was spent within a scope, in the windows of a moment. */
  spentIn(scope: Scope, at: Date, zone: ZoneOffsets): PerSpendLimit<bigint> {
    const own = this.#postings.filter(({ charge }) => this.#isWithin(charge, scope));
    return perSpendLimit((limit) => {
      const sinceMs = limit.window === undefined ? 0 : windowStart(limit, at, zone).getTime();
      return own
        .filter(({ charge }) => charge.chargedAt.getTime() >= sinceMs)
        .reduce((sum, { differenceNano }) => sum + differenceNano, 0n);
    });
  }

  #isWithin({ accountId, keyId, assignmentId }: Charge, { level, accountId: owner, id }: Scope): boolean {
    if (accountId !== owner) return false;
    if (level === 'organization') return true;
    if (level === 'key') return keyId === id;
    const place = this.#keys?.assignments.get(assignmentId ?? keyId);
    return (level === 'project' ? place?.projectId : place?.userId) === id;
  }

  /** What booking this exact entry has changed. */
  differenceOf(charge: Charge): bigint {
    const booked = this.#booked.get(`${charge.requestId} ${charge.rank}`);
    return booked?.entry === entryOf(charge) ? booked.differenceNano : 0n;
  }

  account(accountId: number): Account {
    const account = this.#accounts.get(accountId);
    if (account === undefined) throw new Error(`no account ${accountId}`);
    return account;
  }

  get accountIds(): number[] {
    return [...this.#accounts.keys()];
  }

  async readSnapshot(orphans: Orphans): Promise<ReadonlyMap<number, LedgerSnapshot>> {
    const snapshots = Array.from(orphans, ([accountId, requestIds]): [number, LedgerSnapshot] => {
      const { creditedNano, spentNano, credits } = this.account(accountId);
      const booked = new Map(requestIds.map((id) => [id, this.heads.get(id) ?? notBooked]));
      return [accountId, { creditedNano, spentNano, creditSeq: credits.length, orphans: booked }];
    });
    return new Map(snapshots);
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

  async readOutcomes(requestIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const outcomes = new Map<string, string>();
    for (const requestId of requestIds) {
      const head = this.heads.get(requestId);
      if (head !== undefined) outcomes.set(requestId, `${head.rank}:${head.chargedNano}`);
    }
    return outcomes;
  }
}

/** What the ledger stores of an entry. */
function entryOf({ epoch, chargedAt, walletSeq }: Charge): string {
  return `${epoch} ${chargedAt.getTime()} ${walletSeq}`;
}
