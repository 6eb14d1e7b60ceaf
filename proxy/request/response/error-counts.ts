/** Counts the failed requests of each key, and adds the counts to Redis every few seconds. No request waits for it. */
import type { ErrorCode } from '../../../shared/errors.ts';
import { addErrors, type ErrorCount } from '../../../shared/health/request-errors.ts';
import type { Log } from '../../../shared/log.ts';
import { canSend } from '../../../shared/redis/can-send.ts';
import type { RedisClient } from '../../../shared/redis/connect.ts';

const intervalMs = 2_000;
/** Keys and codes that wait to be added. Further ones are not counted: Redis is away, and memory is finite. */
const waitingMax = 10_000;

export class ErrorCounts {
  readonly #redis: RedisClient;
  readonly #log: Log;
  readonly #timer: Timer;
  #waiting = new Map<string, ErrorCount>();

  constructor({ redis, log }: { redis: RedisClient; log: Log }) {
    this.#redis = redis;
    this.#log = log;
    this.#timer = setInterval(() => void this.#add(), intervalMs);
  }

  count(keyHash: string, code: ErrorCode): void {
    const day = new Date().toISOString().slice(0, 10);
    const id = `${keyHash}:${day}:${code}`;
    const { count = 0 } = this.#waiting.get(id) ?? {};
    if (count === 0 && this.#waiting.size >= waitingMax) return;
    this.#waiting.set(id, { keyHash, day, code, count: count + 1 });
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#add();
  }

  async #add(): Promise<void> {
    if (this.#waiting.size === 0 || !canSend(this.#redis)) return;
    const counts = [...this.#waiting.values()];
    this.#waiting = new Map();
    // Whether they were added is unknown then. Adding them twice would be worse than not at all.
    await addErrors(this.#redis, counts).catch((error: unknown) =>
      this.#log.debug({ err: error }, 'counts of errors were not added'),
    );
  }
}
