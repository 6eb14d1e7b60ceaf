/**
 * Which proxy runs a batch. The lease is in Redis, and is renewed while the proxy works; one that was killed loses it after a
 * minute. A proxy that cannot renew it stops before another one can have it, by its own clock: nothing is decided by both.
 */
import { monotonicMs } from '../../../shared/durations.ts';
import type { RedisClient } from '../../../shared/redis/connect.ts';
import script from './lease-batch.lua' with { type: 'text' };

export const leaseMs = 60_000;
/** For clocks that run at different rates, and for what is decided in the same moment. */
const fenceMs = 10_000;

type Action = 'take' | 'free' | 'offer';

export class BatchLease {
  readonly #redis: RedisClient;
  readonly #batchId: string;
  readonly #owner = crypto.randomUUID();
  readonly #now: () => number;
  #validUntilMs = 0;

  constructor(redis: RedisClient, batchId: string, now: () => number = monotonicMs) {
    this.#redis = redis;
    this.#batchId = batchId;
    this.#now = now;
  }

  /** Whether results may be decided now. */
  get isValid(): boolean {
    return this.#now() < this.#validUntilMs;
  }

  /**
   * Takes or renews it. Resolves with how many milliseconds to wait before the batch may be run, until when it has to be taken
   * again; undefined if another proxy has it. Rejects if Redis cannot be asked.
   */
  async take(): Promise<number | undefined> {
    const askedAtMs = this.#now();
    const waitMs = await this.#run('take');
    if (waitMs < 0) {
      this.#validUntilMs = 0;
      return undefined;
    }
    if (waitMs === 0) this.#validUntilMs = askedAtMs + leaseMs - fenceMs;
    return waitMs;
  }

  /** Another proxy may take the batch at once. */
  async free(): Promise<void> {
    this.#validUntilMs = 0;
    await this.#run('free');
  }

  /** Of a batch that has just been made: the first proxy that takes it need not wait. */
  async offer(): Promise<void> {
    await this.#run('offer');
  }

  async #run(action: Action): Promise<number> {
    return Number(await this.#redis.eval(script, 1, `batch:${this.#batchId}`, this.#owner, leaseMs, action));
  }
}
