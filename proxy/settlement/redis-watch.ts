/**
 * Looks at Redis once a second: tells when another Redis, or a restarted one, answers, so that decisions are sent
 * again and holds renewed; and when its memory runs short, so that no new request begins while running ones can still
 * settle.
 */
import type { Redis } from 'ioredis';
import type { Log } from '../../shared/log.ts';
import type { RedisClient } from '../../shared/redis/connect.ts';
import { readServerStates, type ServerState } from '../../shared/redis/server-state.ts';
import { allShards, type Shard } from '../../shared/shard.ts';
import { masterOfShard } from '../../shared/wallet/shard-master.ts';

const intervalMs = 1_000;
const memoryWarningShare = 0.7;
const memoryRefusalShare = 0.9;

export class RedisWatch {
  readonly #redis: RedisClient;
  readonly #log: Log;
  readonly #onNewRedis: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** By connection: whoever answers on a new one is a stranger until asked. */
  #servers: ReadonlyMap<Redis, ServerState> = new Map();
  /** The server that each shard was last seen on. */
  readonly #lastIdentities = new Map<Shard, string>();
  #memoryShare = 0;
  #stopped = false;

  constructor(options: { redis: RedisClient; log: Log; onNewRedis: () => void }) {
    this.#redis = options.redis;
    this.#log = options.log;
    this.#onNewRedis = options.onNewRedis;
  }

  /** Of the Redis that is connected and has the shard; undefined until it has been asked. */
  identityOf(shard: Shard): string | undefined {
    const master = masterOfShard(this.#redis, shard);
    return master && this.#servers.get(master)?.runId;
  }

  /** Part of its memory limit that the fullest Redis uses. */
  get memoryShare(): number {
    return this.#memoryShare;
  }

  /** No new request may begin. */
  get memoryShort(): boolean {
    return this.#memoryShare >= memoryRefusalShare;
  }

  start(): void {
    const look = async () => {
      await this.look();
      if (!this.#stopped) this.#timer = setTimeout(look, intervalMs);
    };
    void look();
    this.#redis.on('ready', this.#onConnected);
    this.#redis.on('node ready', this.#onNodeConnected);
  }

  /** A lone client reconnects as the same object. */
  readonly #onConnected = () => {
    this.#servers = new Map();
    void this.look();
  };

  readonly #onNodeConnected = () => void this.look();

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
    this.#redis.off('ready', this.#onConnected);
    this.#redis.off('node ready', this.#onNodeConnected);
  }

  /** One look. Servers that do not answer stay unknown. */
  async look(): Promise<void> {
    const servers = await readServerStates(this.#redis);
    this.#servers = servers;
    this.#noteMemory(Math.max(0, ...[...servers.values()].map(({ memoryShare }) => memoryShare)));
    const isNew = allShards.filter((shard) => this.#isNewHere(shard)).length > 0;
    if (!isNew) return;
    this.#log.warn('another Redis answers, or it was restarted: charges are sent again, holds renewed');
    this.#onNewRedis();
  }

  #noteMemory(memoryShare: number): void {
    if (memoryShare >= memoryWarningShare && this.#memoryShare < memoryWarningShare) {
      this.#log.warn({ memoryShare }, 'Redis is running out of memory; is admin booking the usage stream?');
    }
    this.#memoryShare = memoryShare;
  }

  /** True when the shard was on another server before. */
  #isNewHere(shard: Shard): boolean {
    const identity = this.identityOf(shard);
    const last = this.#lastIdentities.get(shard);
    if (identity === undefined || identity === last) return false;
    this.#lastIdentities.set(shard, identity);
    return last !== undefined;
  }
}
