/**
 * The names of the wallet's keys in Redis, as far as they are not made by the scripts. All keys of a shard carry its tag,
 * `{s7}`, and so share one slot.
 */
import type { Shard } from '../shard.ts';

export interface ShardKeys {
  readonly tag: string;
  /** `mode`: open or recovering; `epoch`; `identity` of the Redis that it was opened in. */
  readonly meta: string;
  /** Sorted set of the requests that hold money, by the time at which they may be expired. */
  readonly holds: string;
  /** Stream of charges, from Redis to the ledger. */
  readonly usage: string;
  /**
   * A key that never exists, named to each script. While a cluster moves the shard, key by key, to another master, it
   * makes both masters refuse the script (TRYAGAIN) before it begins; otherwise it could stop half done at the first key
   * that is not there.
   */
  readonly absent: string;
}

const shardKeys = new Map<Shard, ShardKeys>();

export function keysOfShard(shard: Shard): ShardKeys {
  let keys = shardKeys.get(shard);
  if (keys === undefined) {
    const tag = `{s${shard}}`;
    keys = { tag, meta: `${tag}:meta`, holds: `${tag}:holds`, usage: `${tag}:usage`, absent: `${tag}:absent` };
    shardKeys.set(shard, keys);
  }
  return keys;
}

/** `available`, `held`, `spent`, `credited`, `creditSeq`, `seq`, `version` of one account. */
export const walletKey = (tag: string, account: number): string => `${tag}:wallet:${account}`;
/** What a request holds; afterwards, for a day, its outcome. */
export const requestKey = (tag: string, requestId: string): string => `${tag}:request:${requestId}`;
/** What a key without a spending limit has spent, as the ledger has told; for some seconds. */
export const spentKey = (tag: string, keyId: number): string => `${tag}:spent:${keyId}`;
/** Charges that the ledger has to decide about, by request and rank. */
export const orphansKey = (tag: string, account: number): string => `${tag}:orphans:${account}`;
