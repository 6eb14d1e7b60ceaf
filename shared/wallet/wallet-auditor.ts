/**
 * The wallet as reconciling sees it: read whole and at one moment, compared elsewhere, and set right where it must be.
 * Amounts are what Redis holds, not what they should be, so nothing here trusts their size or their sign.
 */
import type { RedisClient } from '../redis/connect.ts';
import { type Shard, shardOfAccount } from '../shard.ts';
import { Script } from './script.ts';
import auditSource from './scripts/audit.lua' with { type: 'text' };
import auditHoldsSource from './scripts/audit-holds.lua' with { type: 'text' };
import capProgressSource from './scripts/cap-progress.lua' with { type: 'text' };
import rebaseSource from './scripts/rebase.lua' with { type: 'text' };
import { readEntry, type UsageEntry } from './usage-entry.ts';
import { keysOfShard, requestKey } from './wallet-keys.ts';

const audit = new Script(auditSource);
const rebase = new Script(rebaseSource);
const auditHolds = new Script(auditHoldsSource);
const capProgress = new Script(capProgressSource);

/** A wallet at one moment. */
export interface AuditedWallet {
  /** The shard's epoch at that moment. */
  readonly epoch: number;
  readonly availableNano: bigint;
  readonly heldNano: bigint;
  readonly spentNano: bigint;
  readonly creditedNano: bigint;
  readonly creditSeq: number;
  /** How many charges the wallet has numbered. */
  readonly seq: number;
  /** Changes whenever `available` or `held` does. */
  readonly version: string;
  /** Charges that the ledger has to decide about. */
  readonly orphans: number;
  /** The sum of the account's open holds, which `heldNano` should be. */
  readonly openHoldsNano: bigint;
}

/** What the ledger says a wallet should be. */
export interface RebaseOrder {
  readonly accountId: number;
  /** Of the wallet that was read. */
  readonly version: string;
  readonly creditedNano: bigint;
  /** With the charges that are still on their way to the ledger. */
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

/** How many values audit.lua answers for a wallet. */
const valuesPerWallet = 10;
const valuesPerHold = 4;
const entriesPerRead = 1_000;

export class WalletAuditor {
  readonly #redis: RedisClient;

  constructor(redis: RedisClient) {
    this.#redis = redis;
  }

  /** Wallets of one shard, all at one moment. Accounts that have none in this Redis are left out. */
  async readWallets(shard: Shard, accountIds: readonly number[]): Promise<Map<number, AuditedWallet>> {
    const [epoch, ...values] = await audit.run(this.#redis, keysOfShard(shard), accountIds.map(String));
    const wallets = new Map<number, AuditedWallet>();
    for (let start = 0; start + valuesPerWallet <= values.length; start += valuesPerWallet) {
      const [accountId, ...fields] = values.slice(start, start + valuesPerWallet);
      wallets.set(Number(accountId), readWallet(Number(epoch), fields));
    }
    return wallets;
  }

  async readWallet(accountId: number): Promise<AuditedWallet | undefined> {
    return (await this.readWallets(shardOfAccount(accountId), [accountId])).get(accountId);
  }

  /** The open holds of one shard, all at one moment. */
  async readHolds(shard: Shard): Promise<OpenHold[]> {
    const [, ...values] = await auditHolds.run(this.#redis, keysOfShard(shard), []);
    const holds: OpenHold[] = [];
    for (let start = 0; start + valuesPerHold <= values.length; start += valuesPerHold) {
      const [requestId = '', accountId, amount = '', progress = ''] = values.slice(start, start + valuesPerHold);
      holds.push({
        requestId,
        accountId: Number(accountId),
        amountNano: BigInt(amount),
        progressNano: BigInt(progress),
      });
    }
    return holds;
  }

  /** Of these requests, the estimates that Redis remembers, in nano-USD. */
  async readEstimates(shard: Shard, requestIds: readonly string[]): Promise<ReadonlyMap<string, bigint>> {
    const { tag } = keysOfShard(shard);
    const outcomes = await this.#redis.mget(requestIds.map((requestId) => requestKey(tag, requestId)));
    const estimates = new Map<string, bigint>();
    requestIds.forEach((requestId, index) => {
      const [, estimate] = /^1:(\d+)$/.exec(outcomes[index] ?? '') ?? [];
      if (estimate !== undefined) estimates.set(requestId, BigInt(estimate));
    });
    return estimates;
  }

  /** Lowers the progress of these requests' holds to what they hold. */
  async capProgress(shard: Shard, requestIds: readonly string[]): Promise<void> {
    await capProgress.run(this.#redis, keysOfShard(shard), requestIds);
  }

  /** How many entries wait in the shard's stream. */
  waiting(shard: Shard): Promise<number> {
    return this.#redis.xlen(keysOfShard(shard).usage);
  }

  /**
   * What waits in the shard's stream, from its beginning. Read after a wallet, it has every charge of that wallet that
   * was not booked by then: entries leave the stream only after they were booked.
   */
  async *readWaiting(shard: Shard): AsyncGenerator<UsageEntry> {
    let start = '-';
    for (;;) {
      const batch = await this.#redis.xrange(keysOfShard(shard).usage, start, '+', 'COUNT', entriesPerRead);
      for (const entry of batch) yield readEntry(entry);
      const last = batch.at(-1)?.[0];
      if (last === undefined || batch.length < entriesPerRead) return;
      start = `(${last}`;
    }
  }

  /** Sets a wallet to what the ledger says, unless it has changed since it was read. */
  async rebase(order: RebaseOrder): Promise<RebaseResult> {
    const [status, available, held] = await rebase.run(this.#redis, keysOfShard(shardOfAccount(order.accountId)), [
      String(order.accountId),
      order.version,
      String(order.creditedNano - order.spentNano),
      String(order.spentNano),
      String(order.creditedNano),
      String(order.creditSeq),
    ]);
    if (status === 'OK') return { ok: true, availableNano: BigInt(available ?? ''), heldNano: BigInt(held ?? '') };
    if (status === 'MOVED') return { ok: false, reason: 'moved' };
    if (status === 'MISS') return { ok: false, reason: 'wallet_missing' };
    throw new Error(`rebase answered ${status}`);
  }
}

function readWallet(epoch: number, fields: readonly string[]): AuditedWallet {
  const [available = '', held = '', spent = '', credited = '', creditSeq, seq, version = '', orphans, holds = ''] =
    fields;
  return {
    epoch,
    availableNano: BigInt(available),
    heldNano: BigInt(held),
    spentNano: BigInt(spent),
    creditedNano: BigInt(credited),
    creditSeq: Number(creditSeq),
    seq: Number(seq),
    version,
    orphans: Number(orphans),
    openHoldsNano: holds.split(',').reduce((sum, amount) => sum + BigInt(amount), 0n),
  };
}
