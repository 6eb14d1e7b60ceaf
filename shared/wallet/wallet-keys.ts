/** The names of the wallet's keys in Redis. All keys of a shard carry its tag, `{s7}`, and so share one slot. */
import type { Shard } from '../shard.ts';

export interface ShardKeys {
  readonly tag: string;
  /** `mode`: open or recovering; `epoch`; `identity` of the Redis that it was opened in. */
  readonly meta: string;
  /** Sorted set of running requests by deadline. */
  readonly holds: string;
  /** Stream of charges, from Redis to the ledger. */
  readonly usage: string;
}

const shardKeys = new Map<Shard, ShardKeys>();

export function keysOfShard(shard: Shard): ShardKeys {
  let keys = shardKeys.get(shard);
  if (keys === undefined) {
    const tag = `{s${shard}}`;
    keys = { tag, meta: `${tag}:meta`, holds: `${tag}:holds`, usage: `${tag}:usage` };
    shardKeys.set(shard, keys);
  }
  return keys;
}

/** State of one proxy key, by its hash. */
export const keyKey = (tag: string, hash: string): string => `${tag}:key:${hash}`;
/** `available`, `held`, `spent`, `credited`, `creditSeq`, `seq`, `version` of one account. */
export const walletKey = (tag: string, account: number): string => `${tag}:wallet:${account}`;
/** One running request. Has no expiry: that would destroy money. */
export const holdKey = (tag: string, requestId: string): string => `${tag}:hold:${requestId}`;
/** The outcome of a request for 24 hours: `rank:cost` or `void`. */
export const doneKey = (tag: string, requestId: string): string => `${tag}:done:${requestId}`;
/** What an Idempotency-Key was used for; `use` names the key of the API and the caller's. */
export const onceKey = (tag: string, use: string): string => `${tag}:once:${use}`;
/** Charges made while the account's wallet was missing, by request. */
export const orphansKey = (tag: string, account: number): string => `${tag}:orphans:${account}`;
