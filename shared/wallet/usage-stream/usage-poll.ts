/**
 * Reads the usage streams of a cluster. One blocking read cannot span the slots of a cluster, and reading 64 empty
 * streams takes 2.2 ms of CPU every time. So each master is first asked for a hint, a number that increases with every
 * entry (0.2 ms, most of it for waking up), and its shards are read only if the hint has changed. A sweep over all
 * shards every few seconds finds what a hint could miss, for example after a failover.
 */
import type { Redis } from 'ioredis';
import { NotSentError, type StrictCluster } from '../../redis/strict-cluster.ts';
import type { Shard } from '../shard.ts';
import { masterOfShard } from '../shard-master.ts';
import { keysOfShard } from '../wallet-keys.ts';
import { readShard, type ShardEntries } from './usage-entry.ts';

const pollMs = 200;
const sweepMs = 2_000;

export class UsagePoll {
  readonly #cluster: StrictCluster;
  /** The hint of each master when its shards were last read. */
  readonly #hints = new Map<Redis, string>();
  /** Shards that had entries when they were last read; entries stay until the ledger has them. */
  readonly #filled = new Set<Shard>();
  #sweepAtMs = 0;

  constructor(cluster: StrictCluster) {
    this.#cluster = cluster;
  }

  /** The first entries of each shard, at most `limit` each; empty if none came within `waitMs`. */
  async read(shards: readonly Shard[], options: { limit: number; waitMs: number }): Promise<ShardEntries[]> {
    const until = Date.now() + options.waitMs;
    for (;;) {
      const found = await this.#readChanged(shards, options.limit);
      if (found.length > 0 || Date.now() > until) return found;
      await Bun.sleep(pollMs);
    }
  }

  async #readChanged(shards: readonly Shard[], limit: number): Promise<ShardEntries[]> {
    const isSweep = Date.now() >= this.#sweepAtMs;
    if (isSweep) this.#sweepAtMs = Date.now() + sweepMs;
    const byMaster = this.#groupByMaster(shards);
    for (const known of this.#hints.keys()) if (!byMaster.has(known)) this.#hints.delete(known);
    const results = await Promise.allSettled(
      [...byMaster].map(([master, own]) => this.#readMaster(master, own, { limit, isSweep })),
    );
    // A master that is being replaced does not delay the usage on the others.
    const [failure] = results.filter((result) => result.status === 'rejected');
    const read = results.filter((result) => result.status === 'fulfilled');
    if (failure !== undefined && read.length === 0) throw failure.reason;
    return read.flatMap(({ value }) => value);
  }

  #groupByMaster(shards: readonly Shard[]): Map<Redis, Shard[]> {
    const byMaster = new Map<Redis, Shard[]>();
    for (const shard of shards) {
      const master = masterOfShard(this.#cluster, shard);
      if (master === undefined) continue;
      const own = byMaster.get(master);
      if (own === undefined) byMaster.set(master, [shard]);
      else own.push(shard);
    }
    if (byMaster.size === 0) throw new NotSentError('no master of any shard is connected');
    return byMaster;
  }

  async #readMaster(
    master: Redis,
    shards: readonly Shard[],
    { limit, isSweep }: { limit: number; isSweep: boolean },
  ): Promise<ShardEntries[]> {
    // Taken before the read: an entry added in between changes it again.
    const hint = await readHint(master);
    const isChanged = hint === undefined || hint !== this.#hints.get(master);
    const wanted = isChanged || isSweep ? shards : shards.filter((shard) => this.#filled.has(shard));
    const read = await Promise.all(wanted.map((shard) => this.#readShard(shard, limit)));
    if (hint !== undefined) this.#hints.set(master, hint);
    return read.filter(({ entries }) => entries.length > 0);
  }

  async #readShard(shard: Shard, limit: number): Promise<ShardEntries> {
    const entries = await this.#cluster.xrange(keysOfShard(shard).usage, '-', '+', 'COUNT', limit);
    if (entries.length > 0) this.#filled.add(shard);
    else this.#filled.delete(shard);
    return readShard(shard, entries, limit);
  }
}

/** How many entries this server has ever added to streams; undefined if it does not report that. */
async function readHint(master: Redis): Promise<string | undefined> {
  return /^cmdstat_xadd:calls=(\d+)/m.exec(await master.info('commandstats'))?.[1];
}
