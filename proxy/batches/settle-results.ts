/**
 * Charges what is in the log of a batch and may not be charged: its proxy died, or Redis did not reply. A charge that was made
 * changes nothing; one that no process remembers is sent without an epoch, so that the ledger decides (wallet scripts: an orphan).
 */
import type { Shard } from '../../shared/wallet/shard.ts';
import type { ProxyServices } from '../request/services.ts';
import { type Settle, unpackDecisions } from '../request/settlement/decision.ts';
import type { ReplayBuffer } from '../request/settlement/replay-buffer.ts';

const atOnce = 256;
const retryMs = 500;

export class ResultSettler {
  readonly #settlement: Pick<ProxyServices, 'wallet'> & { readonly replayBuffer: ReplayBuffer };
  readonly #shard: Shard;
  #charges: Settle[] = [];

  constructor({ wallet, settlement: { replayBuffer } }: ProxyServices, shard: Shard) {
    this.#settlement = { wallet, replayBuffer };
    this.#shard = shard;
  }

  async add(packed: string): Promise<void> {
    for (const decision of unpackDecisions(this.#shard, packed)) {
      if (decision.kind === 'settle') this.#charges.push({ ...decision, held: { ...decision.held, epoch: '' } });
    }
    if (this.#charges.length >= atOnce) await this.confirmed();
  }

  /** Resolves once Redis has confirmed every charge that was added. */
  async confirmed(): Promise<void> {
    const { replayBuffer, wallet } = this.#settlement;
    const charges = this.#charges;
    this.#charges = [];
    const submitted = await Promise.all(charges.map((charge) => replayBuffer.submit(charge)));
    // The replay buffer repeats these, too, but does not say when they are confirmed.
    for (const charge of charges.filter((_, index) => submitted[index] !== true)) {
      while (!(await wallet.settle(charge.held, charge).then(isSettled, isNotSettled))) await Bun.sleep(retryMs);
    }
  }
}

const isSettled = () => true;
const isNotSettled = () => false;
