/**
 * The accounts and keys that Redis knows, found by reading the names of all its keys: when the ledger has been restored
 * to an earlier moment, nothing else knows them all. Slow, and for operators only; a name may be found twice.
 */
import type { Redis } from 'ioredis';
import type { RedisClient } from '../redis/connect.ts';
import { StrictCluster } from '../redis/strict-cluster.ts';
import { type Shard, shardOfAccount } from './shard.ts';
import { keyKey, keysOfShard, orphansKey, walletKey } from './wallet-keys.ts';

/** The record of a proxy key. */
export interface ScannedKey {
  readonly shard: Shard;
  readonly hash: string;
  readonly version: number;
  /** Undefined for a key that was deleted within the last day. */
  readonly accountId: number | undefined;
  readonly active: boolean;
}

const namesAtOnce = 1_000;
const walletName = /^\{s\d+\}:wallet:(\d+)$/;
const keyName = /^\{s(\d+)\}:key:([0-9a-f]{64})$/;

export class WalletCensus {
  readonly #redis: RedisClient;

  constructor(redis: RedisClient) {
    this.#redis = redis;
  }

  /** The accounts that have a wallet. */
  async *accounts(): AsyncGenerator<readonly number[]> {
    for await (const names of this.#names('{s*}:wallet:*')) {
      yield names.flatMap((name) => walletName.exec(name)?.[1] ?? []).map(Number);
    }
  }

  async *keys(): AsyncGenerator<readonly ScannedKey[]> {
    for await (const names of this.#names('{s*}:key:*')) {
      const found = await Promise.all(names.map((name) => this.#readKey(name)));
      yield found.filter((key) => key !== undefined);
    }
  }

  /** Removes the wallet of an account that does not exist. */
  async forgetAccount(accountId: number): Promise<void> {
    const { tag } = keysOfShard(shardOfAccount(accountId));
    await this.#redis.del(walletKey(tag, accountId), orphansKey(tag, accountId));
  }

  /** Removes a key that does not exist. */
  async forgetKey({ shard, hash }: ScannedKey): Promise<void> {
    await this.#redis.del(keyKey(keysOfShard(shard).tag, hash));
  }

  async #readKey(name: string): Promise<ScannedKey | undefined> {
    const [, shard, hash] = keyName.exec(name) ?? [];
    const [version, account, active] = await this.#redis.hmget(name, 'version', 'account', 'active');
    if (shard === undefined || hash === undefined || typeof version !== 'string') return undefined;
    return {
      shard: Number(shard) as Shard,
      hash,
      version: Number(version),
      accountId: typeof account === 'string' ? Number(account) : undefined,
      active: active !== '0',
    };
  }

  async *#names(pattern: string): AsyncGenerator<readonly string[]> {
    const nodes: readonly Redis[] = this.#redis instanceof StrictCluster ? this.#redis.nodes('master') : [this.#redis];
    for (const node of nodes) {
      let cursor = '0';
      do {
        const [next, names] = await node.scan(cursor, 'MATCH', pattern, 'COUNT', namesAtOnce);
        if (names.length > 0) yield names;
        cursor = next;
      } while (cursor !== '0');
    }
  }
}
