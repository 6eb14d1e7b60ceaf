/** A wallet without a Redis, for tests that inspect what is sent to it. */
import type { Decision } from '../../../../proxy/request/settlement/decision.ts';
import type { NanoUsd } from '../../../../shared/money.ts';
import type { Shard } from '../../../../shared/wallet/shard.ts';
import {
  type FinalCharge,
  type HeldRequest,
  type ReleasedRequest,
  type Settled,
  Wallet,
  type WalletRedis,
} from '../../../../shared/wallet/wallet.ts';

const unused: WalletRedis = {
  evalsha: () => Promise.reject(new Error('not asked')),
  eval: () => Promise.reject(new Error('not asked')),
  xrange: () => Promise.reject(new Error('not asked')),
};

/** Accepts everything, and returns of each shard's stream what a test has set. */
export class ScriptedWallet extends Wallet {
  readonly sent: Decision[] = [];
  readonly firstUnbooked = new Map<Shard, string>();
  queries = 0;
  respond: (requestId: string) => Promise<string> = async () => this.nextId();
  /** What Redis reports as charged, if that is less than the cost. */
  chargedNano: NanoUsd | undefined;
  #entries = 0;

  constructor() {
    super(unused);
  }

  nextId(): string {
    this.#entries += 1;
    return `1800000000000-${this.#entries}`;
  }

  override async settle(held: HeldRequest, charge: FinalCharge): Promise<Settled> {
    const { costNano, chargedNano, detail, tokens, response } = charge;
    this.sent.push({ kind: 'settle', held, costNano, chargedNano, detail, tokens, response });
    return { streamId: await this.respond(held.requestId), chargedNano: this.chargedNano ?? costNano };
  }

  override async release({ requestId, shard }: ReleasedRequest): Promise<void> {
    this.sent.push({ kind: 'release', held: { requestId, shard } });
    await this.respond(requestId);
  }

  override async readFirstUnbooked(shard: Shard): Promise<string | undefined> {
    this.queries += 1;
    return this.firstUnbooked.get(shard);
  }

  /** The ids of the requests that were sent to it since the last call. */
  takeSent(): string[] {
    return this.sent.splice(0).map(({ held }) => held.requestId);
  }
}
