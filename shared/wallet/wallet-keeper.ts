/**
 * The wallet as admin keeps it: publishes keys, opens shards, credits, hydrates, expires abandoned holds, and reads
 * the usage stream. Everything here may be repeated.
 */
import { type NanoUsd, nanoUsd } from '../money.ts';
import type { RedisClient } from '../redis/connect.ts';
import type { Shard } from '../shard.ts';
import { shardOfAccount } from '../shard.ts';
import { encodeKeyLimits, type KeyLimits } from './key-limits.ts';
import { keysOfShard, orphansKey, spentKey, walletKey } from './wallet-keys.ts';
import { type WalletScripts, walletScripts } from './wallet-scripts.ts';

/** The present state of a proxy key. */
export interface PublishedKey {
  readonly id: number;
  readonly accountId: number;
  readonly hash: string;
  readonly version: number;
  readonly deleted: boolean;
  readonly active: boolean;
  /** False while nobody has proven the e-mail address of the key's account. */
  readonly addressProven: boolean;
  readonly expiresAt: Date | null;
  readonly allowedModels: readonly string[] | null;
  readonly limits: KeyLimits;
}

/** An account as the ledger has it. */
export interface LedgerState {
  readonly accountId: number;
  readonly creditedNano: bigint;
  readonly spentNano: bigint;
  readonly creditSeq: number;
  /** For each orphan known to the caller, what the ledger has of it. */
  readonly orphans: ReadonlyMap<string, BookedOrphan>;
}

export interface BookedOrphan {
  /** 0 where the ledger has nothing. */
  readonly rank: number;
  readonly chargedNano: bigint;
}

/** An orphan about which the ledger has decided. */
export interface DecidedOrphan {
  readonly accountId: number;
  readonly keyId: number;
  readonly requestId: string;
  readonly rank: 1 | 2;
  /** By how much its booking has changed what the account was charged; 0 where the ledger had it already. */
  readonly differenceNano: bigint;
}

/** What a key has spent, as the ledger has it. */
export interface KeySpend {
  readonly accountId: number;
  readonly keyId: number;
  /** Days since 1970-01-01, in UTC. */
  readonly day: number;
  readonly dayNano: bigint;
  /** The month as 202611. */
  readonly month: number;
  readonly monthNano: bigint;
  readonly totalNano: bigint;
}

export interface ShardMeta {
  readonly mode: 'open' | 'recovering';
  readonly epoch: number;
  /** The Redis that it was opened in. */
  readonly identity: string;
}

const requestsAtOnce = 500;
/** A figure that is shown is at most so old. */
const shownSeconds = 5;

export class WalletKeeper {
  readonly #redis: RedisClient;
  readonly #scripts: WalletScripts;

  constructor(redis: RedisClient, scripts: WalletScripts = walletScripts) {
    this.#redis = redis;
    this.#scripts = scripts;
  }

  /** What an account can spend now and what its running requests hold; undefined where it has no wallet in Redis. */
  async readWallet(accountId: number): Promise<{ availableNano: NanoUsd; heldNano: NanoUsd } | undefined> {
    const { tag } = keysOfShard(shardOfAccount(accountId));
    const [available, held] = await this.#redis.hmget(walletKey(tag, accountId), 'available', 'held');
    if (typeof available !== 'string' || typeof held !== 'string') return undefined;
    return { availableNano: nanoUsd(BigInt(available)), heldNano: nanoUsd(BigInt(held)) };
  }

  /** Idempotent; an older version never replaces a newer one. */
  async publishKey(key: PublishedKey): Promise<void> {
    await this.#scripts.publishKey.run(this.#redis, keysOfShard(shardOfAccount(key.accountId)), {
      hash: key.hash,
      version: key.version,
      account: key.deleted ? '' : key.accountId,
      key: key.id,
      active: stateOf(key),
      expiresAt: key.expiresAt?.getTime(),
      models: key.allowedModels === null ? '' : `\n${key.allowedModels.join('\n')}\n`,
      limits: encodeKeyLimits(key.limits),
    });
  }

  /** `gap`: an earlier credit has to be sent first. `wallet_missing`: the credit will come with the wallet. */
  async credit(order: {
    accountId: number;
    creditSeq: number;
    amountNano: bigint;
  }): Promise<'applied' | 'duplicate' | 'gap' | 'wallet_missing'> {
    const { status } = await this.#scripts.credit.run(this.#redis, keysOfShard(shardOfAccount(order.accountId)), {
      account: order.accountId,
      creditSeq: order.creditSeq,
      amount: order.amountNano,
    });
    if (status === 'OK') return 'applied';
    if (status === 'DUPLICATE') return 'duplicate';
    if (status === 'GAP') return 'gap';
    if (status === 'MISS') return 'wallet_missing';
    throw new Error(`credit answered ${status}`);
  }

  /** The requests of the account whose charges the ledger has to decide about. */
  async readOrphans(accountId: number): Promise<string[]> {
    const { tag } = keysOfShard(shardOfAccount(accountId));
    const names = await this.#redis.hkeys(orphansKey(tag, accountId));
    return [...new Set(names.map((name) => name.replace(/:\d$/, '')))];
  }

  /** `again`: a charge came in meanwhile that the caller does not know of. */
  async hydrate(state: LedgerState): Promise<'hydrated' | 'exists' | 'again'> {
    const { status } = await this.#scripts.hydrate.run(this.#redis, keysOfShard(shardOfAccount(state.accountId)), {
      account: state.accountId,
      balance: state.creditedNano - state.spentNano,
      credited: state.creditedNano,
      spent: state.spentNano,
      creditSeq: state.creditSeq,
      orphans: Array.from(state.orphans, ([request, { rank, chargedNano }]) => ({
        request,
        rank: String(rank),
        charged: String(chargedNano),
      })),
    });
    if (status === 'OK') return 'hydrated';
    if (status === 'EXISTS') return 'exists';
    if (status === 'AGAIN') return 'again';
    throw new Error(`hydrate answered ${status}`);
  }

  /** Corrects the wallets of one shard by what the ledger has decided about their orphans, each once. */
  async absorb(shard: Shard, orphans: readonly DecidedOrphan[]): Promise<void> {
    const keys = keysOfShard(shard);
    for (let start = 0; start < orphans.length; start += requestsAtOnce) {
      const decided = orphans.slice(start, start + requestsAtOnce).map((orphan) => ({
        account: String(orphan.accountId),
        key: String(orphan.keyId),
        request: orphan.requestId,
        rank: String(orphan.rank),
        difference: String(orphan.differenceNano),
      }));
      await this.#scripts.absorb.run(this.#redis, keys, { orphans: decided });
    }
  }

  /** What a key with a spending limit has spent, unless Redis has it already. */
  async hydrateSpend(spend: KeySpend): Promise<void> {
    await this.#scripts.hydrateSpend.run(this.#redis, keysOfShard(shardOfAccount(spend.accountId)), {
      key: spend.keyId,
      day: spend.day,
      daySpent: spend.dayNano,
      month: spend.month,
      monthSpent: spend.monthNano,
      total: spend.totalNano,
    });
  }

  /** What a key without a spending limit has spent, for those who ask within some seconds. */
  async showSpend({ accountId, keyId, day, dayNano, month, monthNano, totalNano }: KeySpend): Promise<void> {
    const { tag } = keysOfShard(shardOfAccount(accountId));
    const shown = [day, dayNano, month, monthNano, totalNano].join(',');
    await this.#redis.set(spentKey(tag, keyId), shown, 'EX', shownSeconds);
  }

  /** The requests of a shard that hold money. */
  async readHeldRequests(shard: Shard): Promise<string[]> {
    return this.#redis.zrange(keysOfShard(shard).holds, '0', '-1');
  }

  /** Brings back what the ledger has booked: request id → `rank:cost`. Replays of these requests are duplicates then. */
  async restoreOutcomes(shard: Shard, outcomes: ReadonlyMap<string, string>): Promise<void> {
    const keys = keysOfShard(shard);
    const booked = Array.from(outcomes, ([request, outcome]) => ({ request, outcome }));
    for (let start = 0; start < booked.length; start += requestsAtOnce) {
      await this.#scripts.restoreOutcomes.run(this.#redis, keys, {
        booked: booked.slice(start, start + requestsAtOnce),
      });
    }
  }

  /**
   * Ends at most `limit` requests whose deadline has passed; returns how many were due. None are ended where the shard is
   * recovering, or has to be: the epoch is another one, or the Redis is not the one that it was opened in.
   */
  async expire({ shard, epoch, limit }: { shard: Shard; epoch: number; limit: number }): Promise<number> {
    const { status, due } = await this.#scripts.expire.run(this.#redis, keysOfShard(shard), { limit, epoch });
    return status === 'RECOVERING' ? 0 : Number(due);
  }

  /** Undefined where this Redis has never seen the shard, or has lost it. */
  async readMeta(shard: Shard): Promise<ShardMeta | undefined> {
    const [mode, epoch, identity] = await this.#redis.hmget(keysOfShard(shard).meta, 'mode', 'epoch', 'identity');
    if (typeof mode !== 'string' || typeof epoch !== 'string') return undefined;
    return { mode: mode === 'open' ? 'open' : 'recovering', epoch: Number(epoch), identity: identity ?? '' };
  }

  async writeMeta(shard: Shard, state: ShardMeta): Promise<void> {
    const { mode, epoch, identity } = state;
    await this.#redis.hset(keysOfShard(shard).meta, { mode, epoch: String(epoch), identity });
  }
}

/** As judge_key in key.lua reads it. A version that does not know `unproven` refuses the key as deactivated. */
function stateOf({ active, addressProven }: PublishedKey): string {
  if (!active) return '0';
  return addressProven ? '1' : 'unproven';
}
