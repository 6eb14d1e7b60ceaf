/**
 * Shards whose charges were booked after Redis had lost them. A recovery that had read the ledger before could not know
 * of these charges, so a proxy that sends one again would charge the wallet twice, and the ledger only once. Such a
 * shard is recovered once more.
 */
import type { Shard } from '../../../shared/shard.ts';
import type { WalletKeeper } from '../../../shared/wallet/wallet-keeper.ts';

export class DoubtfulShards {
  readonly #keeper: Pick<WalletKeeper, 'readMeta'>;
  readonly #shards = new Set<Shard>();

  constructor(keeper: Pick<WalletKeeper, 'readMeta'>) {
    this.#keeper = keeper;
  }

  /**
   * To be told when booked charges are not in the stream any more. Another admin may have removed them; only where the
   * shard has begun a new epoch since the charges were made, or has none, Redis has lost them.
   */
  async missing(shard: Shard, chargedInEpoch: number): Promise<void> {
    const meta = await this.#keeper.readMeta(shard);
    if (meta === undefined || meta.epoch > chargedInEpoch) this.#shards.add(shard);
  }

  /** They are recovered by whoever takes them. */
  take(): ReadonlySet<Shard> {
    const taken = new Set(this.#shards);
    this.#shards.clear();
    return taken;
  }

  /** Their recovery has failed. */
  giveBack(shards: Iterable<Shard>): void {
    for (const shard of shards) this.#shards.add(shard);
  }
}
