/**
 * Checks Redis once a second. Detects when Redis was replaced, restarted or emptied, so that decisions are resent and
 * holds renewed; and when its memory runs low, so that no new request begins while running ones can still settle.
 */
import type { Redis } from 'ioredis';
import type { Log } from '../../../shared/log.ts';
import type { RedisClient } from '../../../shared/redis/connect.ts';
import { readServerStates, type ServerState } from '../../../shared/redis/server-state.ts';
import { allShards, type Shard } from '../../../shared/wallet/shard.ts';
import { masterOfShard } from '../../../shared/wallet/shard-master.ts';
import { WalletKeeper } from '../../../shared/wallet/wallet-keeper.ts';

const intervalMs = 1_000;
const memoryWarningShare = 0.7;
const memoryRefusalShare = 0.9;

export class RedisWatch {
  readonly #redis: RedisClient;
  readonly #keeper: WalletKeeper;
  readonly #log: Log;
  readonly #onNewRedis: (shards: ReadonlySet<Shard>) => Promise<void>;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** By connection: the server behind a new one is unknown until it has been asked. */
  #servers: ReadonlyMap<Redis, ServerState> = new Map();
  /** The server that each shard was last seen on, and its epoch there. */
  readonly #lastPlaces = new Map<Shard, string>();
  /** Calls of `onNewRedis` that have not resolved. */
  #changesPending = 0;
  #memoryShare = 0;
  #stopped = false;

  /** `onNewRedis` is told which shards may have lost what they had, and resolves once that is being sent again. */
  constructor(options: { redis: RedisClient; log: Log; onNewRedis: (shards: ReadonlySet<Shard>) => Promise<void> }) {
    this.#redis = options.redis;
    this.#keeper = new WalletKeeper(options.redis);
    this.#log = options.log;
    this.#onNewRedis = options.onNewRedis;
  }

  /** The run id of the connected Redis that has the shard; undefined until it has been asked. */
  identityOf(shard: Shard): string | undefined {
    const master = masterOfShard(this.#redis, shard);
    return master && this.#servers.get(master)?.runId;
  }

  /** The share of its memory limit that the fullest Redis uses. */
  get memoryShare(): number {
    return this.#memoryShare;
  }

  /** True if no new request may begin. */
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

  /** Without a cluster, the client reconnects as the same object. */
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

  /** Checks once. A server that does not respond is, until its connection is lost, what it was when it last did. */
  async look(): Promise<void> {
    const responding = await readServerStates(this.#redis);
    const connected = [...this.#servers].filter(([{ status }]) => status === 'ready');
    this.#servers = new Map([...connected, ...responding]);
    this.#noteMemory(Math.max(0, ...[...responding.values()].map(({ memoryShare }) => memoryShare)));
    const epochs = await this.#readEpochs();
    const changed = [...epochs].filter(([shard, epoch]) => this.#isNewHere(shard, epoch)).map(([shard]) => shard);
    if (changed.length === 0) return;
    const message = 'Redis was replaced, restarted or emptied: resending charges and renewing holds';
    this.#log.warn({ shards: changed.length }, message);
    this.#changesPending += 1;
    const handled = this.#onNewRedis(new Set(changed));
    void handled.finally(() => {
      this.#changesPending -= 1;
    });
  }

  /**
   * True if the shard is where it was when its Redis was last looked at: what was read from it just before is about the data that
   * this process has written to it. False while what a former one may have lost is yet to be sent again.
   */
  async isUnchanged(shard: Shard): Promise<boolean> {
    const epoch = (await this.#keeper.readMeta(shard))?.epoch;
    return (
      this.#changesPending === 0 &&
      this.identityOf(shard) !== undefined &&
      this.#placeOf(shard, epoch) === this.#lastPlaces.get(shard)
    );
  }

  #noteMemory(memoryShare: number): void {
    if (memoryShare >= memoryWarningShare && this.#memoryShare < memoryWarningShare) {
      this.#log.warn({ memoryShare }, 'Redis is running out of memory; is admin booking the usage stream?');
    }
    this.#memoryShare = memoryShare;
  }

  /** Undefined if Redis has no data of the shard; shards whose Redis does not respond are left out. */
  async #readEpochs(): Promise<ReadonlyMap<Shard, number | undefined>> {
    const epochs = new Map<Shard, number | undefined>();
    const read = async (shard: Shard) => epochs.set(shard, (await this.#keeper.readMeta(shard))?.epoch);
    await Promise.allSettled(allShards.map(read));
    return epochs;
  }

  /** True if the shard was on another server before, or this one has lost it: a FLUSHALL keeps the run id. */
  #isNewHere(shard: Shard, epoch: number | undefined): boolean {
    const place = this.#placeOf(shard, epoch);
    const last = this.#lastPlaces.get(shard);
    if (this.identityOf(shard) === undefined || place === last) return false;
    this.#lastPlaces.set(shard, place);
    return last !== undefined;
  }

  #placeOf(shard: Shard, epoch: number | undefined): string {
    return `${this.identityOf(shard)} ${epoch}`;
  }
}
