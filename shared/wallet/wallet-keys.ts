/**
 * The names of the wallet's Redis keys that TypeScript uses; the scripts build the others. All keys of a shard carry
 * its tag, such as `{s7}`, and so share one slot.
 */
import type { Shard } from './shard.ts';

export interface ShardKeys {
  readonly tag: string;
  /** `mode`: open, filling or recovering; `epoch`; `identity`: the run id of the Redis that the shard was opened in. */
  readonly meta: string;
  /** Sorted set of the requests that hold money, by the time at which they may be expired. */
  readonly holds: string;
  /** Stream of charges, from Redis to the ledger. */
  readonly usage: string;
  /**
   * A key that never exists, passed to each script. While a cluster moves the shard, key by key, to another master, it
   * makes both masters refuse the script (TRYAGAIN) before it begins; otherwise the script could stop halfway at the
   * first key that is not there.
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
/** A request's hold; afterwards, for up to a day, its outcome. */
export const requestKey = (tag: string, requestId: string): string => `${tag}:request:${requestId}`;
/** What a key without a spending limit has spent, cached from the ledger for a few seconds. */
export const spentKey = (tag: string, keyId: string): string => `${tag}:spent:${keyId}`;
/** Charges that the ledger has yet to decide about, by request and rank. */
export const orphansKey = (tag: string, account: number): string => `${tag}:orphans:${account}`;
/** The record of a proxy key. */
export const keyKey = (tag: string, hash: string): string => `${tag}:key:${hash}`;
