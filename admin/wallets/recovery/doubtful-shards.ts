/**
 * Shards whose charges were booked after Redis had lost them. A recovery that read the ledger earlier did not see these
 * charges, so a proxy that sends one again would charge the wallet twice, but the ledger only once. Such a shard is
 * recovered again.
 */
import type { Shard } from '../../../shared/wallet/shard.ts';
import type { WalletKeeper } from '../../../shared/wallet/wallet-keeper.ts';

export class DoubtfulShards {
  readonly #keeper: Pick<WalletKeeper, 'readMeta'>;
  readonly #shards = new Set<Shard>();

  constructor(keeper: Pick<WalletKeeper, 'readMeta'>) {
    this.#keeper = keeper;
  }

  /**
   * Call when booked charges are no longer in the stream. Another admin may have removed them; Redis has lost them only
   * if the shard has begun a new epoch since the charges were made, or has none.
   */
  async missing(shard: Shard, chargedInEpoch: number): Promise<void> {
    const meta = await this.#keeper.readMeta(shard);
    if (meta === undefined || meta.epoch > chargedInEpoch) this.#shards.add(shard);
  }

  /** Call before the ledger is read for a recovery: it will see what was booked until now. */
  forget(shard: Shard): void {
    this.#shards.delete(shard);
  }

  /** The caller recovers the shards it takes. */
  take(): ReadonlySet<Shard> {
    const taken = new Set(this.#shards);
    this.#shards.clear();
    return taken;
  }

  /** Call if their recovery has failed. */
  giveBack(shards: Iterable<Shard>): void {
    for (const shard of shards) this.#shards.add(shard);
  }
}
