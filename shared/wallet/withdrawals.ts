/**
 * Sets money aside in a wallet before it leaves: no request can spend it while a provider is asked to pay it back. The
 * ledger's outbox then applies the withdrawal, which ends the hold. Every operation is idempotent by the withdrawal's id.
 */
import { type NanoUsd, nanoUsd } from '../money.ts';
import type { RedisClient } from '../redis/connect.ts';
import { shardOfAccount } from './shard.ts';
import { keysOfShard } from './wallet-keys.ts';
import { type WalletScripts, walletScripts } from './wallet-scripts.ts';

interface Withdrawal {
  /** A UUID. */
  readonly id: string;
  readonly accountId: number;
}

export type SetAside =
  | { readonly ok: true; readonly amountNano: NanoUsd }
  | { readonly ok: false; readonly reason: 'short'; readonly availableNano: NanoUsd }
  /** `ended`: it was applied or given up. `unavailable`: try again soon. */
  | { readonly ok: false; readonly reason: 'ended' | 'unavailable' };

export class Withdrawals {
  readonly #redis: RedisClient;
  readonly #scripts: WalletScripts;

  constructor(redis: RedisClient, scripts: WalletScripts = walletScripts) {
    this.#redis = redis;
    this.#scripts = scripts;
  }

  /** Holds `amountNano`, or at least `lowestNano` of it, until `holdMs` from now. */
  async setAside(
    { id, accountId }: Withdrawal,
    hold: { amountNano: bigint; lowestNano: bigint; holdMs: number },
  ): Promise<SetAside> {
    const result = await this.#scripts.setAside.run(this.#redis, keysOfShard(shardOfAccount(accountId)), {
      request: id,
      account: accountId,
      amount: hold.amountNano,
      lowest: hold.lowestNano,
      holdMs: hold.holdMs,
    });
    switch (result.status) {
      case 'OK':
        return { ok: true, amountNano: nanoUsd(BigInt(result.amount ?? '0')) };
      case 'SHORT':
        return { ok: false, reason: 'short', availableNano: nanoUsd(BigInt(result.available ?? '0')) };
      case 'GONE':
        return { ok: false, reason: 'ended' };
      case 'RECOVERING':
      case 'MISS':
        return { ok: false, reason: 'unavailable' };
      default:
        throw new Error(`set-aside.lua returned ${result.status}`);
    }
  }

  /** For a withdrawal that does not take place. */
  async giveBack({ id, accountId }: Withdrawal): Promise<void> {
    await this.#scripts.release.run(this.#redis, keysOfShard(shardOfAccount(accountId)), {
      request: id,
      idempotencyKeyDigest: '',
    });
  }
}
