/**
 * The wallet's operations for reconciliation: reads consistent snapshots, which are compared elsewhere, and corrects
 * wallets. Amounts are what Redis has, not what they should be, so nothing here relies on their size or sign.
 */
import { type Scope, scopeName } from '../limits/budget-levels.ts';
import type { ZoneOffsets } from '../limits/zone-offsets.ts';
import type { RedisClient } from '../redis/connect.ts';
import { type CountedSpend, readCounted } from './counted-spend.ts';
import { type Shard, shardOfAccount } from './shard.ts';
import { readEntries, type UsageEntry } from './usage-stream/usage-entry.ts';
import { keysOfShard, requestKey } from './wallet-keys.ts';
import { type WalletScripts, walletScripts } from './wallet-scripts.ts';

/** A snapshot of a wallet. */
export interface AuditedWallet {
  /** The shard's epoch at that moment. */
  readonly epoch: number;
  /** Its Redis may have lost charges, and has yet to be compared with the ledger. */
  readonly isRecovering: boolean;
  readonly availableNano: bigint;
  readonly heldNano: bigint;
  readonly spentNano: bigint;
  readonly creditedNano: bigint;
  readonly creditSeq: number;
  /** The number of the wallet's last charge. */
  readonly seq: number;
  /** Changes whenever `available` or `held` does. */
  readonly version: string;
  /** The number of charges that the ledger has yet to decide about. */
  readonly orphans: number;
  /** The sum of the account's open holds; `heldNano` should equal it. */
  readonly openHoldsNano: bigint;
}

/** What a wallet should be according to the ledger. */
export interface RebaseRequest {
  readonly accountId: number;
  /** The version of the wallet that was read. */
  readonly version: string;
  readonly creditedNano: bigint;
  /** Including the charges that are still on their way to the ledger. */
  readonly spentNano: bigint;
  readonly creditSeq: number;
}

/** What a request holds, and what it would be charged if its proxy died now. */
export interface OpenHold {
  readonly requestId: string;
  readonly accountId: number;
  readonly amountNano: bigint;
  readonly progressNano: bigint;
}

export type RebaseResult =
  | { readonly ok: true; readonly availableNano: bigint; readonly heldNano: bigint }
  | { readonly ok: false; readonly reason: 'moved' | 'wallet_missing' };

const entriesPerRead = 1_000;

export class WalletAuditor {
  readonly #redis: RedisClient;
  readonly #scripts: WalletScripts;

  constructor(redis: RedisClient, scripts: WalletScripts = walletScripts) {
    this.#redis = redis;
    this.#scripts = scripts;
  }

  /** A consistent snapshot of wallets of one shard. Accounts that have none in this Redis are left out. */
  async readWallets(shard: Shard, accountIds: readonly number[]): Promise<Map<number, AuditedWallet>> {
    const reply = await this.#scripts.audit.run(this.#redis, keysOfShard(shard), { accounts: accountIds.map(String) });
    const shared = { epoch: Number(reply.epoch), isRecovering: reply.recovering === '1' };
    return new Map(readRows(reply.wallets).map((row) => [Number(row.account), readWallet(shared, row)]));
  }

  async readWallet(accountId: number): Promise<AuditedWallet | undefined> {
    return (await this.readWallets(shardOfAccount(accountId), [accountId])).get(accountId);
  }

  /** A consistent snapshot of the open holds of one shard. */
  async readHolds(shard: Shard): Promise<OpenHold[]> {
    const reply = await this.#scripts.auditHolds.run(this.#redis, keysOfShard(shard), {});
    return readRows(reply.holds).map(({ request = '', account, amount = '', progress = '' }) => ({
      requestId: request,
      accountId: Number(account),
      amountNano: BigInt(amount),
      progressNano: BigInt(progress),
    }));
  }

  /** The estimates that Redis has for these requests, in nano-USD. */
  async readEstimates(shard: Shard, requestIds: readonly string[]): Promise<ReadonlyMap<string, bigint>> {
    const { tag } = keysOfShard(shard);
    const outcomes = await this.#redis.mget(requestIds.map((requestId) => requestKey(tag, requestId)));
    const estimates = new Map<string, bigint>();
    requestIds.forEach((requestId, index) => {
      const [, estimate] = /^1:(\d+)/.exec(outcomes[index] ?? '') ?? [];
      if (estimate !== undefined) estimates.set(requestId, BigInt(estimate));
    });
    return estimates;
  }

  /** Caps the progress of these requests' holds at the amount they hold. */
  async capProgress(shard: Shard, requestIds: readonly string[]): Promise<void> {
    await this.#scripts.capProgress.run(this.#redis, keysOfShard(shard), { requests: requestIds });
  }

  /** What is counted for budgets of a scope; undefined if it is not counted in this Redis, or in another zone. */
  readCounted(scope: Scope, at: { readonly now: Date; readonly zone: ZoneOffsets }): Promise<CountedSpend | undefined> {
    return readCounted(this.#redis, this.#scripts, scope, at);
  }

  /** Discards what was counted for a scope, but not what is held: the next request under its budgets asks the ledger. */
  async countAnew(scope: Scope): Promise<void> {
    const keys = keysOfShard(shardOfAccount(scope.accountId));
    await this.#scripts.countAnew.run(this.#redis, keys, { account: scope.accountId, scope: scopeName(scope) });
  }

  /** How many entries wait in the shard's stream. */
  waiting(shard: Shard): Promise<number> {
    return this.#redis.xlen(keysOfShard(shard).usage);
  }

  /**
   * The entries waiting in the shard's stream, from its beginning. Read after a wallet, they include every charge of
   * that wallet that was not booked by then: entries are removed from the stream only after they are booked.
   */
  async *readWaiting(shard: Shard): AsyncGenerator<UsageEntry> {
    let start = '-';
    for (;;) {
      const batch = await this.#redis.xrange(keysOfShard(shard).usage, start, '+', 'COUNT', entriesPerRead);
      for (const entry of batch) yield* readEntries(entry);
      const last = batch.at(-1)?.[0];
      if (last === undefined || batch.length < entriesPerRead) return;
      start = `(${last}`;
    }
  }

  /** Sets a wallet to the ledger's figures, unless it has changed since it was read. */
  async rebase(request: RebaseRequest): Promise<RebaseResult> {
    const keys = keysOfShard(shardOfAccount(request.accountId));
    const { status, available, held } = await this.#scripts.rebase.run(this.#redis, keys, {
      account: request.accountId,
      version: request.version,
      balance: request.creditedNano - request.spentNano,
      spent: request.spentNano,
      credited: request.creditedNano,
      creditSeq: request.creditSeq,
    });
    if (status === 'OK') return { ok: true, availableNano: BigInt(available ?? ''), heldNano: BigInt(held ?? '') };
    if (status === 'MOVED') return { ok: false, reason: 'moved' };
    if (status === 'MISS') return { ok: false, reason: 'wallet_missing' };
    throw new Error(`rebase.lua returned ${status}`);
  }
}

type Row = Readonly<Record<string, string>>;

/** A JSON list of rows; Lua writes an empty one as `{}`. */
function readRows(text = '[]'): readonly Row[] {
  const rows: unknown = JSON.parse(text);
  return Array.isArray(rows) ? rows : [];
}

function readWallet(shared: Pick<AuditedWallet, 'epoch' | 'isRecovering'>, row: Row): AuditedWallet {
  const { available = '', held = '', spent = '', credited = '', version = '', openHolds = '' } = row;
  return {
    ...shared,
    availableNano: BigInt(available),
    heldNano: BigInt(held),
    spentNano: BigInt(spent),
    creditedNano: BigInt(credited),
    creditSeq: Number(row.creditSeq),
    seq: Number(row.seq),
    version,
    orphans: Number(row.orphans),
    openHoldsNano: openHolds.split(',').reduce((sum, amount) => sum + BigInt(amount), 0n),
  };
}
