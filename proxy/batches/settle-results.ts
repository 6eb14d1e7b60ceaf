/**
 * Charges what is in the log of a batch and may not be charged: its proxy died, or Redis did not reply. A charge that was made
 * changes nothing; one that no process remembers is sent without an epoch, so that the ledger decides (wallet scripts: an orphan).
 */
import type { Shard } from '../../shared/wallet/shard.ts';
import { NotKept } from '../request/response/deferred.ts';
import type { ProxyServices } from '../request/services.ts';
import { type Settle, unpackDecisions } from '../request/settlement/decision.ts';
import type { ReplayBuffer } from '../request/settlement/replay-buffer.ts';

const atOnce = 256;
const retryMs = 500;

export class ResultSettler {
  readonly #settlement: Pick<ProxyServices, 'wallet'> & { readonly replayBuffer: ReplayBuffer };
  readonly #shard: Shard;
  readonly #isLeft: () => boolean;
  #charges: Settle[] = [];

  /** `isLeft`: another proxy continues the batch, and makes the charges that are not confirmed. */
  constructor(
    { wallet, settlement: { replayBuffer } }: Pick<ProxyServices, 'wallet' | 'settlement'>,
    { shard, isLeft }: { readonly shard: Shard; isLeft(): boolean },
  ) {
    this.#settlement = { wallet, replayBuffer };
    this.#shard = shard;
    this.#isLeft = isLeft;
  }

  async add(packed: string): Promise<void> {
    for (const decision of unpackDecisions(this.#shard, packed)) {
      if (decision.kind === 'settle') this.#charges.push({ ...decision, held: { ...decision.held, epoch: '' } });
    }
    if (this.#charges.length >= atOnce) await this.confirmed();
  }

  /** Resolves once Redis has confirmed every charge that was added. Throws NotKept once another proxy continues. */
  async confirmed(): Promise<void> {
    const charges = this.#charges;
    this.#charges = [];
    await Promise.all(charges.map((charge) => this.#settle(charge)));
  }

  async #settle(charge: Settle): Promise<void> {
    const { replayBuffer, wallet } = this.#settlement;
    // The log is a copy already. While Postgres is away, logs of batches must not fill the buffer: no request could begin.
    if (!replayBuffer.halfFull && (await replayBuffer.submit(charge)) === true) return;
    // Where it has failed, the replay buffer repeats it too, but does not say when it is confirmed.
    while (!(await wallet.settle(charge.held, charge).then(isSettled, isNotSettled))) {
      if (this.#isLeft()) throw new NotKept();
      await Bun.sleep(retryMs);
    }
  }
}

const isSettled = () => true;
const isNotSettled = () => false;
