/**
 * Recalls of leases. Those that are published are obeyed: this process returns what no request uses. And where a request
 * would be refused for what leases have, they are recalled and awaited, once for all requests of the account.
 */
import { monotonicMs } from '../../../shared/durations.ts';
import type { Log } from '../../../shared/log.ts';
import { isObject } from '../../../shared/members.ts';
import { readJson } from '../../../shared/read-json.ts';
import { type RedisClient, subscribe } from '../../../shared/redis/connect.ts';
import { recallChannel } from '../../../shared/wallet/lease.ts';
import type { Shard } from '../../../shared/wallet/shard.ts';
import type { Wallet } from '../../../shared/wallet/wallet.ts';
import type { LeaseBook } from './lease-book.ts';

/** A proxy that does not return its leases in this time is not waited for. */
const waitMs = 50;
const pollMs = 5;

interface RecallServices {
  readonly redis: RedisClient;
  readonly wallet: Pick<Wallet, 'recall' | 'countRecalled'>;
  readonly book: Pick<LeaseBook, 'recall'>;
  readonly log: Log;
}

export class LeaseRecalls {
  readonly #services: RecallServices;
  readonly #inProgress = new Map<number, Promise<void>>();
  readonly #unsubscribe: () => void;

  constructor(services: RecallServices) {
    this.#services = services;
    this.#unsubscribe = subscribe(services.redis, recallChannel, (message) => this.#obey(message));
  }

  stop(): void {
    this.#unsubscribe();
  }

  /** Resolves when requests no longer begin from leases of the account, or some time has passed. Never rejects. */
  recall(shard: Shard, accountId: number): Promise<void> {
    const inProgress = this.#inProgress.get(accountId);
    if (inProgress !== undefined) return inProgress;
    const { log } = this.#services;
    const recalled = this.#recall(shard, accountId)
      .catch((error: unknown) => log.debug({ accountId, err: error }, 'leases not recalled'))
      .finally(() => this.#inProgress.delete(accountId));
    this.#inProgress.set(accountId, recalled);
    return recalled;
  }

  async #recall(shard: Shard, accountId: number): Promise<void> {
    const { wallet, book } = this.#services;
    const until = monotonicMs() + waitMs;
    let [leases] = await Promise.all([wallet.recall(shard, accountId), book.recall(accountId)]);
    while (leases > 0 && monotonicMs() < until) {
      await Bun.sleep(pollMs);
      leases = await wallet.countRecalled(shard, accountId);
    }
  }

  #obey(message: string): void {
    const recall = readJson(message);
    if (!isObject(recall)) return;
    const [accountId, keyId] = [Number(recall.account), recall.key === '' ? undefined : Number(recall.key)];
    void this.#services.book.recall(accountId, keyId);
  }
}
