/**
 * The wallet as reconciling sees it: read whole and at one moment, compared elsewhere, and set right where it must be.
 * Amounts are what Redis holds, not what they should be, so nothing here trusts their size or their sign.
 */
import type { RedisClient } from '../redis/connect.ts';
import { type Shard, shardOfAccount } from '../shard.ts';
import { Script } from './script.ts';
import auditSource from './scripts/audit.lua' with { type: 'text' };
import rebaseSource from './scripts/rebase.lua' with { type: 'text' };
import { readEntry, type UsageEntry } from './usage-entry.ts';
import { keysOfShard } from './wallet-keys.ts';

const audit = new Script(auditSource);
const rebase = new Script(rebaseSource);

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

export type RebaseResult =
  | { readonly ok: true; readonly availableNano: bigint; readonly heldNano: bigint }
  | { readonly ok: false; readonly reason: 'moved' | 'wallet_missing' };

/** How many values audit.lua answers for a wallet. */
const valuesPerWallet = 9;
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
  const [available = '', held = '', spent = '', credited = '', creditSeq, seq, version = '', holds = ''] = fields;
  return {
    epoch,
    availableNano: BigInt(available),
    heldNano: BigInt(held),
    spentNano: BigInt(spent),
    creditedNano: BigInt(credited),
    creditSeq: Number(creditSeq),
    seq: Number(seq),
    version,
    openHoldsNano: holds.split(',').reduce((sum, amount) => sum + BigInt(amount), 0n),
  };
}
